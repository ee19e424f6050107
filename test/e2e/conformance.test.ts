/**
 * Real playbooks of the current generation, read in place from ../shared when it is there: each completes as its
 * expectation says, or fails on a tool kind that this build does not run.
 */
import fs from 'node:fs';
import path from 'node:path';
import { type Json, type JsonObject } from '../../src/plan';
import { compile } from '../../src/dsl';
import { stepView } from '../../src/engine/views';
import { plain } from '../../src/template/runtime';
import { type MockApi, startMockApi } from '../support/mock-api';
import { setCredential, type Stack, startStack } from '../support/stack';

const FOLDER = path.resolve(__dirname, '../../../shared/conformance');
const available = fs.existsSync(path.join(FOLDER, 'expectations.json'));
const describeIf = available ? describe : describe.skip;

interface Expectation {
  status: 'COMPLETED' | 'FAILED';
  steps_executed: string[];
  ctx: JsonObject;
  results_last_steps: Record<string, Json>;
}

const expectations = available
  ? (JSON.parse(fs.readFileSync(path.join(FOLDER, 'expectations.json'), 'utf8')) as Record<
      string,
      { expect: Expectation; sub_playbooks: string[] }
    >)
  : {};

/** Where DESIGN.md wins over the throw-away runner that observed the expectations. */
const DESIGN_WINS: Record<string, Partial<Expectation>> = {
  // D13: the branches of a fork merge, `end` runs once.
  'control_flow_workbook/control_flow_workbook.yaml': {
    steps_executed: ['start', 'eval_flag', 'hot_path', 'hot_task_a', 'hot_task_b', 'end'],
  },
  // D10: a response passed on is what the tool gave, and the body; the envelope's status is not part of it.
  'retry_test/http_retry_status_code.yaml': { results_last_steps: { end: { status: 'complete' } } },
};

/** Refused by the compiler, with a fix, instead of failing at run time. */
const REFUSED = 'broken_playbooks/should_error_tool_is_required.yaml';

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

describeIf('playbooks of the current generation', () => {
  let stack: Stack;
  let api: MockApi;

  beforeAll(async () => {
    [stack, api] = await Promise.all([startStack({ postgres: true }), startMockApi()]);
  });
  afterAll(async () => {
    await api?.close();
    await stack?.stop();
  });

  test.each(Object.keys(expectations).filter((file) => file !== REFUSED))('%s', async (file) => {
    const { expect: observed, sub_playbooks } = expectations[file]!;
    const expected = { ...observed, ...DESIGN_WINS[file] };
    const database = await stack.postgres.createDatabase(file.replace(/\W+/g, '_').toLowerCase());
    for (const name of ['pg_local', 'pg_k8s']) setCredential(name, database);
    const plan = stack.compile(
      toMock(fs.readFileSync(path.join(FOLDER, 'playbooks/current', file), 'utf8'), api.url),
      file,
    );
    const ended = await stack.run(plan, payloadFor(file, api.url));
    if (sub_playbooks.length > 0) {
      expect(ended.failure!.message).toMatch(/playbook/);
      return;
    }
    expect(ended.failure?.message).toBeUndefined();
    expect(ended.status).toBe('completed');
    if (file === RANDOM) return;
    expect([...ended.state.executed].sort()).toEqual([...expected.steps_executed].sort());
    expect(compared(ended.state.ctx)).toMatchObject(compared(expected.ctx) as object);
    for (const [step, value] of Object.entries(expected.results_last_steps)) {
      const ours = plain(stepView(ended.state.results[step]!)) as Json;
      expect({ step, value: compared(ours) }).toMatchObject({
        step,
        value: compared(asList(value, ours)) as object,
      });
    }
  });

  test(REFUSED, () => {
    const { plan, diagnostics } = compile(
      fs.readFileSync(path.join(FOLDER, 'playbooks/current', REFUSED), 'utf8'),
    );
    expect(plan).toBeUndefined();
    expect(
      diagnostics
        .filter(({ severity }) => severity === 'error')
        .map(({ message, hint }) => `${message} ${hint}`)
        .join(),
    ).toMatch(/command/);
  });
});

/** Hard-coded hosts become the mock. */
function toMock(yaml: string, url: string): string {
  return yaml.replaceAll(
    /https:\/\/(jsonplaceholder\.typicode\.com|httpbin\.org|api\.open-meteo\.com)|http:\/\/(paginated-api\.test-server\.svc\.cluster\.local:5555|noetl-server-rust\.noetl\.svc\.cluster\.local:8082)/g,
    url,
  );
}

function payloadFor(file: string, url: string): JsonObject {
  if (file.startsWith('retry_test/http')) return { test_url: `${url}/get` };
  return {};
}

/** A loop step's value is the list of its iterations (D10), where the runner showed `{results, count}`. */
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
