/** Twenty broken runs of as many kinds, found, mended and proven by tools of assistants only. */
import { pythonExecution, type PythonExecution } from '../../src/cli/runtime/execute-python';
import { commandReach } from '../../src/cli/runtime/assistant/reach';
import { facadeAt } from '../../src/cli/runtime/port/facade';
import { type Assistant, assistantOn } from '../support/assistant';
import { startFacade, type TestFacade } from '../support/facade';
import { MENDED_FAULTS, type MendedFault } from '../support/mended-faults';
import { type Stack, startStack } from '../support/stack';

let stack: Stack;
let facade: TestFacade;
let python: PythonExecution;
let assistant: Assistant;
beforeAll(async () => {
  stack = await startStack({ kinds: ['python'] });
  facade = await startFacade(stack);
  // Only code of these tests is run.
  python = pythonExecution('python', 'none');
  const port = facadeAt({ url: facade.url } as never);
  assistant = await assistantOn(
    commandReach(port, { server: facade.url }, { assistant: 'mender 1', execute: python.execute }),
  );
});
afterAll(async () => {
  await assistant?.close();
  await python?.close();
  await facade?.stop();
  await stack?.stop();
});

interface Run {
  readonly execution_id: string;
  readonly status: string;
  readonly error: { readonly step: string | null } | null;
}

test('there are twenty, and each edit changes its playbook', () => {
  expect(MENDED_FAULTS).toHaveLength(20);
  for (const { broken, fixed } of MENDED_FAULTS) expect(fixed).not.toBe(broken);
});

async function mend({ broken, fixed, good, bad }: MendedFault): Promise<void> {
  const { path } = await assistant.document<{ path: string }>('register', {
    playbook: broken,
    staged: false,
  });
  const fine = await assistant.document<Run>('run', { path, payload: good });
  const failed = await assistant.document<Run>('run', { path, payload: bad });
  expect([fine.status, failed.status]).toEqual(['completed', 'failed']);
  const step = failed.error?.step;
  await assistant.document('explain', { execution: failed.execution_id, ...(step && { step }) });
  expect(failed.error).toMatchObject({ at: { line: expect.any(Number) as number } });
  expect(await assistant.document('validate', { playbook: fixed })).toMatchObject({ ok: true });
  const anew = await assistant.document('what_if', {
    execution: failed.execution_id,
    playbook: fixed,
    execute: 'python',
  });
  expect(anew).toMatchObject({ status: 'completed', unanswered: [] });
  const verified = await assistant.document<{ counts: Record<string, number> }>('verify', {
    old: path,
    new: fixed,
    executions: [fine.execution_id, failed.execution_id],
    execute: 'python',
  });
  const { same = 0, timing = 0, decision = 0, call = 0, result = 0, unanswerable } = verified.counts;
  expect([same + timing, decision + call + result, unanswerable]).toEqual([1, 1, 0]);
}

test.concurrent.each(MENDED_FAULTS.map((one) => [one.name, one] as const))('%s', (_name, fault) =>
  mend(fault),
);
