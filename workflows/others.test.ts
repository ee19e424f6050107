import { defineSignal } from '@temporalio/workflow';
import { OtherWorkflows } from './others';

interface Sent {
  readonly to: string;
  readonly what: string;
  readonly answer: () => void;
}

const sent: Sent[] = [];

jest.mock('@temporalio/workflow', () => ({
  ...jest.requireActual<object>('@temporalio/workflow'),
  getExternalWorkflowHandle: (to: string) => ({
    signal: (signal: { name: string }) =>
      new Promise<void>((answer) => sent.push({ to, what: signal.name, answer })),
  }),
}));

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a workflow is sent the next signal when the server has delivered the one before, whatever others wait for', async () => {
  const others = new OtherWorkflows();
  const [pause, resume] = [defineSignal('pause'), defineSignal('resume')];
  for (const id of ['a', 'b']) void others.signal(id, pause);
  for (const id of ['a', 'b']) void others.signal(id, resume);
  const seen = (): string[] => sent.map(({ to, what }) => `${what} ${to}`);
  await settled();
  expect(seen()).toEqual(['pause a', 'pause b']);
  sent[1]!.answer();
  await settled();
  expect(seen()).toEqual(['pause a', 'pause b', 'resume b']);
  expect(others.isIdle).toBe(false);
  for (const { answer } of sent) answer();
  await settled();
  expect(seen()).toEqual(['pause a', 'pause b', 'resume b', 'resume a']);
  sent[3]!.answer();
  await settled();
  expect(others.isIdle).toBe(true);
});
