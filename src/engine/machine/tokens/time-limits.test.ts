/** `lifecycle.timeout_s` and `lifecycle.deadline_s` of a step. */
import { planOf, playbookOf, START } from '../../../../test/support/simulator';
import { type Command } from '../batch/commands';
import { Machine } from '../machine';

/** The step `work` begins ten seconds after the execution. */
function begun(lifecycle: string): { machine: Machine; commands: readonly Command[] } {
  const machine = Machine.create(
    planOf(
      playbookOf(`
- step: start
  tool: {kind: wait, for: 10}
  next: {arcs: [{step: work, args: {limit: 7}}]}
- step: work
  spec: {lifecycle: {${lifecycle}}}
  tool: {kind: python, code: "result = 1"}`),
    ),
    '1',
    START,
  );
  const { commands } = machine.apply({ at: START, inputs: [{ type: 'started', payload: {} }] });
  const [timer] = commands.flatMap((one) => (one.type === 'startTimer' ? [one] : []));
  return {
    machine,
    commands: machine.apply({ at: timer!.deadline, inputs: [{ type: 'timerFired', key: timer!.key }] })
      .commands,
  };
}

it.each([
  ['timeout_s: 30', 40],
  ['timeout_s: "{{ args.limit }}"', 17],
  ['timeout_s: PT30S', 40],
  ['deadline_s: 30', 30],
  ['deadline_s: 0.5m', 30],
  ['deadline_s: "{{ args.limit * 2 }}"', 14],
  ['timeout_s: 5, deadline_s: 30', 15],
  ['timeout_s: 50, deadline_s: 30', 30],
  ['deadline_s: 3', 10],
  ['deadline_s: "{{ args.limit - 20 }}"', 10],
])('%s ends it %d seconds after the start', (lifecycle, seconds) => {
  expect(begun(lifecycle).commands).toContainEqual({
    type: 'startTimer',
    key: 'timeout:work#1',
    deadline: START + seconds * 1000,
  });
});

it.each([
  ['timeout_s', "'soon'", '"soon"'],
  ['timeout_s', '0', '0'],
  ['timeout_s', 'args.limit - 8', '-1'],
  ['timeout_s', 'args.limits', 'null'],
  ['deadline_s', "'soon'", '"soon"'],
  ['deadline_s', 'args.limits', 'null'],
])('%s of %s is refused before anything runs', (field, value, shown) => {
  const { commands } = begun(`${field}: "{{ ${value} }}"`);
  const message = `lifecycle.${field} of step work must be a number of seconds above 0, or a duration like 30s or PT5M, got ${shown}`;
  expect(commands).toMatchObject([{ type: 'fail', error: { code: 'TIMEOUT_NUMBER', message } }]);
});

it('its timer goes when the step is over', () => {
  const { machine, commands } = begun('timeout_s: 30');
  const [call] = commands.flatMap((one) => (one.type === 'runTask' ? [one.call] : []));
  const settled = machine.apply({
    at: START + 11_000,
    inputs: [
      {
        type: 'taskSettled',
        taskRunId: call!.task_run_id,
        outcome: { status: 'ok', result: 1, error: null, meta: {} },
      },
    ],
  });
  expect(settled.commands.map(({ type }) => type)).toEqual(['cancelTimer', 'complete']);
  expect(machine.state.timers).toEqual({});
});

it('when it has passed the task is cancelled, and the step fails with how long it ran', () => {
  const { machine, commands } = begun('timeout_s: 30');
  const [call] = commands.flatMap((one) => (one.type === 'runTask' ? [one.call] : []));
  const taskRunId = call!.task_run_id;
  const over = machine.apply({ at: START + 40_040, inputs: [{ type: 'timerFired', key: 'timeout:work#1' }] });
  expect(over.commands).toEqual([{ type: 'cancelTask', taskRunId }]);
  const error = { kind: 'cancelled', code: 'CANCELLED', message: 'cancelled', retryable: false } as const;
  const outcome = { status: 'error', result: null, error, meta: {} } as const;
  const ended = machine.apply({ at: START + 41_000, inputs: [{ type: 'taskSettled', taskRunId, outcome }] });
  expect(ended.commands).toMatchObject([
    {
      type: 'fail',
      error: {
        kind: 'timeout',
        code: 'STEP_TIMEOUT',
        message: 'step work did not end within its time limit (it ran 30 s)',
        step: 'work',
      },
    },
  ]);
});
