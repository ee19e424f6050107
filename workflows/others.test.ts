import { setImmediate as tick } from 'node:timers/promises';
import { OtherWorkflows } from './others';
import { pauseSignal, resumeSignal } from './contract';

interface Sent {
  readonly what: string;
  settle(error?: Error): void;
}
const mockSent: Sent[] = [];

/** Each signal is delivered, or not, when the test says so. */
jest.mock('@temporalio/workflow', () => ({
  ...jest.requireActual<object>('@temporalio/workflow'),
  getExternalWorkflowHandle: (id: string) => ({
    signal: ({ name }: { name: string }) =>
      new Promise<void>((resolve, reject) =>
        mockSent.push({
          what: `${name} ${id}`,
          settle: (error) => (error ? reject(error) : resolve()),
        }),
      ),
  }),
}));

beforeEach(() => (mockSent.length = 0));
const sent = async (): Promise<string[]> => {
  await tick();
  return mockSent.map(({ what }) => what);
};

test('a signal is sent when the one before it to the same workflow was delivered: none overtakes another', async () => {
  const others = new OtherWorkflows();
  const all = [
    others.signal('a', pauseSignal, {}),
    others.signal('a', resumeSignal),
    others.signal('b', pauseSignal, {}),
  ];
  expect(await sent()).toEqual(['pause a', 'pause b']);
  expect(others.isIdle).toBe(false);
  mockSent[0]!.settle();
  expect(await sent()).toEqual(['pause a', 'pause b', 'resume a']);
  mockSent[1]!.settle();
  mockSent[2]!.settle();
  await Promise.all(all);
  expect(others.isIdle).toBe(true);
});

test('one that cannot be delivered is told to its sender, and holds up no other', async () => {
  const others = new OtherWorkflows();
  const gone = others.signal('a', pauseSignal, {});
  const next = others.signal('a', resumeSignal);
  await tick();
  mockSent[0]!.settle(new Error('it has ended'));
  await expect(gone).rejects.toThrow('it has ended');
  expect(await sent()).toEqual(['pause a', 'resume a']);
  mockSent[1]!.settle();
  await next;
});
