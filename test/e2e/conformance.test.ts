/**
 * Real playbooks of three generations, run on a real server at the same time: each completes as its expectation says.
 * Where ours differs, the difference stands in ../support/conformance-differences.ts with its reason.
 */
import pg from 'pg';
import { stepView } from '../../src/engine/machine/scope/views';
import { type Json } from '../../src/language/plan';
import { listed, plainValue } from '../../src/language/template/runtime';
import {
  type Case,
  type CaseRun,
  conformanceCases,
  pooled,
  runCase,
  subPlaybooks,
} from '../support/conformance';
import { differenceOf } from '../support/conformance-differences';
import { Missing, noExtra } from '../support/present';
import { GENERATIONS } from '../support/real-playbooks';
import { isNightly } from '../support/sampled';
import { type Stack, startStack } from '../support/stack';

const isLong = ({ file }: Case): boolean => file.startsWith('load_test/');
/** In CI without the long ones, whose loops and tables the others have, with fewer rows. */
const cases = conformanceCases().filter((one) => isNightly || !isLong(one));

/** Differ from run to run, or by clock: not compared. */
const VOLATILE = new Set([
  'headers',
  'performance',
  'created_at',
  'elapsed',
  'url',
  'args',
  'body',
  'results',
]);
/** A random choice is part of this playbook. */
const RANDOM = 'comprehensive_test.yaml';

/** The long ones first, so that none of them is left for the end. */
const inOrder = [...cases].sort((a, b) => Number(isLong(b)) - Number(isLong(a)));
const AT_ONCE = 6;
const TIME_LIMIT = 240_000;

describe('real playbooks', () => {
  if (cases.length === 0) {
    test('run as expected', () => {
      throw new Missing(noExtra('conformance/expectations.json'));
    });
    return;
  }
  let stack: Stack;
  let runs: Map<Case, Promise<CaseRun>>;

  beforeAll(async () => {
    stack = await startStack({ postgres: true, playbooks: subPlaybooks });
    runs = pooled(inOrder, AT_ONCE, (one) => runCase(stack, one));
  });
  afterAll(async () => {
    await Promise.allSettled(runs?.values() ?? []);
    await stack?.stop();
  }, TIME_LIMIT);

  describe.each(GENERATIONS)('of the generation %s', (generation) => {
    const own = cases.filter((one) => one.generation === generation);
    test.each(own.map((one) => [one.file, one] as const))(
      '%s',
      async (file, one) => {
        const { ended } = await runs.get(one)!;
        const { fails, ...expected } = { ...one.expected, ...differenceOf(generation, file) };
        expect(ended.failure?.message ?? '').toMatch(fails ?? /^$/);
        expect(ended.status).toBe(fails ? 'failed' : 'completed');
        if (file === RANDOM) return;
        expect([...ended.state.executed].sort()).toEqual([...expected.steps_executed].sort());
        expect(compared(ended.state.ctx)).toMatchObject(compared(expected.ctx) as object);
        for (const [step, value] of Object.entries(expected.results_last_steps)) {
          const ours = listed(plainValue(stepView(ended.state.results[step]!))) as Json;
          expect({ step, value: compared(ours) }).toMatchObject({
            step,
            value: compared(asList(value, ours)) as object,
          });
        }
      },
      TIME_LIMIT,
    );
  });

  // No later step of these playbooks looks at what they stored.
  test.each(GENERATIONS)(
    'save_simple_test and save_delegation_test of %s stored their rows',
    async (generation) => {
      const isEarly = generation === 'early';
      expect(await storedBy(generation, 'save_simple_test')).toEqual([
        {
          // `response.record_id` does not look below `data`, as that playbook expects it to.
          test_id: isEarly ? '' : '100',
          test_name: isEarly ? '' : 'Postgres flat structure test',
          test_value: '42',
          storage_type: 'flat',
        },
      ]);
      expect(await storedBy(generation, 'save_delegation_test')).toEqual([
        {
          test_id: 'delegation_test',
          test_name: 'postgres_storage',
          test_value: '123',
          storage_type: 'delegation',
        },
      ]);
    },
    TIME_LIMIT,
  );

  async function storedBy(generation: string, name: string): Promise<unknown[]> {
    const one = cases.find((each) => each.generation === generation && each.file.endsWith(`/${name}.yaml`))!;
    const client = new pg.Client({ connectionString: (await runs.get(one)!).database });
    await client.connect();
    const { rows } = await client.query<Record<string, unknown>>(
      'SELECT test_id, test_name, test_value, storage_type FROM simple_test_flat',
    );
    await client.end();
    return rows;
  }
});

/** A loop step's value is the list of its iterations, where the runner showed `{results, count}`. */
function asList(expected: Json, ours: Json): Json {
  const loop = expected as { results?: Json } | null;
  return Array.isArray(ours) && loop && !Array.isArray(loop) && loop.results ? loop.results : expected;
}

function compared(value: Json): Json {
  if (Array.isArray(value)) return value.map(compared);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !VOLATILE.has(key))
      .map(([key, item]) => [key, compared(item)]),
  );
}
