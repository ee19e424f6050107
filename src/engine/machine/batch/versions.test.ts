import { CURRENT_ENGINE_VERSION } from '../../../language/plan';
import { playbookOf, planOf } from '../../../../test/support/simulator';
import { Machine } from '../machine';
import fs from 'node:fs';
import path from 'node:path';
import { MAX_CALL_DEPTH, MAX_STATE_SIZE, MAX_VALUE_SIZE, MOST_ASKERS } from '../../../language/plan';
import { templateLimits as template } from '../../../language/template/values/meter';
import { LONG_TASK_S, MAX_PENDING_TASKS, PLACES_OF_A_VALUE } from './bounds';
import { costsOf, ENGINE_VERSIONS, knowsEngineVersion } from './versions';

const plan = planOf(playbookOf('- step: start\n  tool: {kind: noop}'));

test('new plans are pinned to the last version this engine knows', () => {
  expect(plan.engineVersion).toBe(CURRENT_ENGINE_VERSION);
  expect(ENGINE_VERSIONS.at(-1)!.version).toBe(CURRENT_ENGINE_VERSION);
  expect(knowsEngineVersion(CURRENT_ENGINE_VERSION + 1)).toBe(false);
});

test('a plan of a newer engine or another shape is refused in words', () => {
  expect(() => Machine.create({ ...plan, engineVersion: 99 }, '1')).toThrow(
    /does not support engine version 99/,
  );
  expect(() => Machine.create({ ...plan, planVersion: 99 }, '1')).toThrow(/supports plan version 1, got 99/);
});

/** Constants in the files of a folder: `const NAME = a number;`, in the order of the files. */
function constantsIn(folder: string): Record<string, number> {
  const root = path.join(__dirname, '../../../..', folder);
  const files = fs.readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  return Object.fromEntries(
    sources.flatMap((file) =>
      [
        ...fs
          .readFileSync(path.join(root, file), 'utf8')
          .matchAll(/^(?:export )?const ([A-Z][A-Z0-9_]*) = ([\d_][\d_ *]*);/gm),
      ].map(([, name, product]): [string, number] => [
        `${file.replace(/\.ts$/, '')}/${name}`,
        product!.split('*').reduce((all, factor) => all * Number(factor.trim().replaceAll('_', '')), 1),
      ]),
    ),
  );
}

describe('what decides order and cost', () => {
  // Whoever changes a value here changes running executions: with a new entry in ENGINE_VERSIONS, the old value stays
  // for plans of the old one. While nothing is released, change both.
  const hint = 'see the head of src/engine/machine/batch/versions.ts';

  test('the costs of every version stay', () => {
    expect({ hint, costs: costsOf(1) }).toEqual({
      hint,
      costs: {
        batchBudget: 3_000_000,
        microStep: 20,
        microStepLimit: 10_000_000,
        charsPerUnit: 32,
        joinPerToken: 2,
      },
    });
  });

  test('so do the limits of templates and values', () => {
    expect({ hint, template, MAX_VALUE_SIZE, MAX_STATE_SIZE, MOST_ASKERS }).toEqual({
      hint,
      template: { steps: 400_000, output: 16 * 1024 * 1024, depth: 200 },
      MAX_VALUE_SIZE: 16 * 1024 * 1024,
      MAX_STATE_SIZE: 64 * 1024 * 1024,
      MOST_ASKERS: 10_000,
    });
    expect({ hint, MAX_PENDING_TASKS, LONG_TASK_S, PLACES_OF_A_VALUE, MAX_CALL_DEPTH }).toEqual({
      hint,
      MAX_CALL_DEPTH: 32,
      MAX_PENDING_TASKS: 1500,
      LONG_TASK_S: 600,
      PLACES_OF_A_VALUE: 4,
    });
  });

  test('so does every constant of engine, driver and keepers', () => {
    const constants = {
      ...constantsIn('src/engine/machine'),
      ...constantsIn('workflows'),
      ...constantsIn('src/temporal/contract'),
      ...constantsIn('src/engine/limits'),
    };
    expect(constants).toMatchInlineSnapshot(`
{
  "attributes/MAX_VERSION_LENGTH": 200,
  "batch/bounds/LONG_TASK_S": 600,
  "batch/bounds/MAX_PENDING_TASKS": 1500,
  "batch/bounds/PLACES_OF_A_VALUE": 4,
  "batch/bounds/SHARED_CALLS": 64,
  "batch/context/PORTION": 50000,
  "batch/measure/ENVELOPE": 50,
  "batch/measure/SHORT_TEXT": 100,
  "batch/notes/MAX_NOTES": 100,
  "bulk/LARGEST_BATCH": 20,
  "calls/limit-call/MAX_ID_LENGTH": 200,
  "calls/limit-call/MAX_KEY_LENGTH": 1000,
  "calls/priority/LOWEST_PRIORITY": 5,
  "calls/priority/MAX_ASCII": 64,
  "calls/priority/MAX_CHARACTERS": 16,
  "calls/slots/MAX_RATE_KEYS": 1000,
  "calls/slots/STALE_MS": 10000,
  "calls/wait/MAX_INBOX": 1000,
  "chunk/MAX_REPORT_SIZE": 524288,
  "control/keychain/CHECK_TIMEOUT_S": 60,
  "details/MAX_ROWS": 20,
  "handlers/DEFAULT_EVENTS": 100,
  "keeper/MOST_TOLD": 20,
  "lease/MAX_LOOP_CHARS": 65536,
  "limit/FIRST_CHECK_MS": 5000,
  "limit/MAX_CHECK_MS": 60000,
  "loop/chunks/CHUNKS_AT_ONCE": 16,
  "loop/chunks/DEFAULT_SHARE": 64,
  "loop/chunks/GOOD_SHARE": 16,
  "loop/chunks/LEAST_AT_ONCE": 4,
  "loop/chunks/MAX_CHUNK": 200,
  "loop/chunks/ROUNDS": 4,
  "loop/cursor/MAX_SAME": 1000,
  "loop/cursor/MAX_WRITERS": 10,
  "loop/cursor/NOTHING_MORE": 0,
  "loop/open/DEFAULT_PARALLEL": 64,
  "messages/MAX_REASON": 1000,
  "playbook/MAX_MESSAGE": 10000,
  "recent-events/MAX_RECENT": 1000,
  "recent-events/MAX_SPAN_BATCHES": 500,
  "recent-events/MAX_SPAN_SIZE": 4194304,
  "rules/moves/MAX_MESSAGE": 10000,
  "scope/assign/MAX_TRACE": 64,
  "scope/values/DEFAULT_ATTEMPTS": 3,
  "scope/values/DEFAULT_DELAY_S": 1,
  "scope/values/DEFAULT_MAX_DELAY_S": 3600,
  "sent-event/MAX_LENGTH": 200,
  "shapes/MAX_ID": 2000,
  "state/by-id/FEW": 8,
  "state/work-queue/KEPT": 64,
}
`);
  });
});
