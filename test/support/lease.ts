/** A machine on lease in a simulated activity: runs its tasks in any order, and comes back when it likes. */
import {
  type InputBatch,
  type Command,
  type Input,
  Machine,
  type StartLease,
  type State,
} from '../../src/engine/machine';
import { type Outcome, type Plan, type TaskCall } from '../../src/language/plan';

export interface LeaseWorld {
  answer(call: TaskCall): Outcome;
  /** A number that decides what happens next. */
  choose(): number;
  /** The cancellation of the activity has come. */
  readonly cancelled: boolean;
  readonly now: number;
}

export const CANCELLED: Outcome = {
  status: 'error',
  result: null,
  error: { kind: 'cancelled', code: 'CANCELLED', message: 'cancelled', retryable: false },
  meta: {},
};

/** What the machine took, and the ids of the tasks that ran. */
export function onLease(
  plan: Plan,
  { state, tasks, pool }: StartLease,
  world: LeaseWorld,
): { trace: InputBatch[]; ran: string[]; now: number } {
  const machine = Machine.onLease(plan, JSON.parse(JSON.stringify(state)) as State);
  const due = new Map(tasks.map(({ call }) => [call.task_run_id, call]));
  const running = new Map<string, Outcome>();
  const timers = new Map(Object.entries(state.timers).map(([key, { deadline }]) => [key, deadline]));
  const trace: InputBatch[] = [];
  const ran: string[] = [];
  let { now } = world;
  let isEnding = false;
  let left = world.choose() % 12;
  let cancels = world.cancelled;

  const begin = (): void => {
    if (isEnding) return;
    for (const [id, call] of due) {
      ran.push(id);
      running.set(id, world.answer(call));
    }
    due.clear();
  };
  const perform = (command: Command): void => {
    if (command.type === 'runTask' && command.local && command.pool === pool)
      due.set(command.call.task_run_id, command.call);
    else if (command.type === 'cancelTask') {
      due.delete(command.taskRunId);
      if (running.has(command.taskRunId)) running.set(command.taskRunId, CANCELLED);
    } else if (command.type === 'startTimer') timers.set(command.key, command.deadline);
    else if (command.type === 'cancelTimer') timers.delete(command.key);
    else isEnding = true;
  };
  const next = (): Input[] => {
    if (cancels && left <= 0) {
      cancels = false;
      isEnding = true;
      return [{ type: 'cancelRequested' }];
    }
    const [earliest] = [...timers].sort(([, a], [, b]) => a - b);
    if (earliest && (running.size === 0 ? !isEnding && world.choose() % 2 : world.choose() % 8 === 7)) {
      timers.delete(earliest[0]);
      now = Math.max(now, earliest[1]);
      return [{ type: 'timerFired', key: earliest[0] }];
    }
    const inputs: Input[] = [];
    for (let many = 1 + (world.choose() % 3); many > 0 && running.size > 0; many--) {
      const [taskRunId, outcome] = [...running][world.choose() % running.size]!;
      running.delete(taskRunId);
      inputs.push({ type: 'taskSettled', taskRunId, outcome });
    }
    return inputs;
  };
  begin();
  for (let inputs = next(); inputs.length > 0; inputs = next()) {
    const text = JSON.stringify({ at: now, inputs });
    trace.push(JSON.parse(text) as InputBatch);
    for (const command of machine.advance(JSON.parse(text) as InputBatch)) perform(command);
    if (--left <= 0 && !cancels) isEnding = true;
    begin();
  }
  return { trace, ran, now };
}
