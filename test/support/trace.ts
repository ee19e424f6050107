/**
 * The trace of a run: all that went into the engine and all that came out of it, a line each. Recorded traces pin
 * what an engine version does.
 */
import fs from 'node:fs';
import path from 'node:path';
import { Machine, type Command, type Input } from '../../src/engine/machine';
import { type Json, type Outcome, type Plan, type TaskCall } from '../../src/language/plan';
import { START } from './simulator';

export interface Scenario {
  readonly plan: Plan;
  readonly payload?: Record<string, Json>;
  /** What a task or sub-playbook answers; a list answers one call after the other, its last for all that follow. */
  readonly answers?: Readonly<Record<string, Outcome | readonly Outcome[]>>;
  /** Messages from outside, with the batch of that number. */
  readonly messages?: Readonly<Record<number, readonly Input[]>>;
}

const EXECUTION = '123456789012345678';
const CANCELLED: Outcome = {
  status: 'error',
  result: null,
  error: { kind: 'cancelled', code: 'CANCELLED', message: 'cancelled', retryable: false },
  meta: {},
};
const MAX_BATCHES = 200;

/** Runs the scenario, one happening a batch: the oldest completion, or else the earliest timer. */
export function trace({ plan, payload = {}, answers = {}, messages = {} }: Scenario): string[] {
  const machine = Machine.create(plan, EXECUTION, START);
  const blind = Machine.create(plan, EXECUTION, START);
  const lines: string[] = [];
  const open = new Map<string, Input>();
  const timers = new Map<string, number>();
  const asked = new Map<string, number>();
  const answer = ({ task }: TaskCall): Outcome => {
    const given = answers[task] ?? { status: 'ok', result: { task }, error: null, meta: {} };
    const count = asked.get(task) ?? 0;
    asked.set(task, count + 1);
    return Array.isArray(given)
      ? (given as Outcome[])[Math.min(count, given.length - 1)]!
      : (given as Outcome);
  };
  const perform = (command: Command): void => {
    switch (command.type) {
      case 'runTask': {
        const taskRunId = command.call.task_run_id;
        open.set(taskRunId, { type: 'taskSettled', taskRunId, outcome: answer(command.call) });
        break;
      }
      case 'runPlaybook': {
        const { child } = command;
        const outcome = answer(command.call);
        open.set(
          child,
          command.detached
            ? { type: 'childStarted', child, version: '1', digest: 'd' }
            : { type: 'childSettled', child, outcome },
        );
        break;
      }
      case 'cancelTask':
        open.set(command.taskRunId, {
          type: 'taskSettled',
          taskRunId: command.taskRunId,
          outcome: CANCELLED,
        });
        break;
      case 'cancelPlaybook':
        open.set(command.child, { type: 'childSettled', child: command.child, outcome: CANCELLED });
        break;
      case 'startTimer':
        timers.set(command.key, command.deadline);
        break;
      case 'cancelTimer':
        timers.delete(command.key);
        break;
      default:
        break;
    }
  };
  let now = START;
  let inputs: Input[] = [{ type: 'started', payload }];
  for (let batch = 0; inputs.length > 0 && batch < MAX_BATCHES; batch++) {
    inputs = [...(messages[batch] ?? []), ...inputs];
    const { commands, events } = machine.apply({ at: now, inputs });
    // Nobody has to look: the workflow drives without events.
    expect(blind.advance({ at: now, inputs })).toEqual(commands);
    lines.push(`batch ${batch} at ${(now - START) / 1000} s`);
    for (const { type, ...input } of inputs) lines.push(line('<', type, input));
    for (const { event_type, ...event } of events) lines.push(line('*', event_type, event));
    for (const { type, ...command } of commands) lines.push(line('>', type, command));
    commands.forEach(perform);
    const [next] = open;
    const [timer] = [...timers].sort(([, a], [, b]) => a - b);
    if (next) {
      open.delete(next[0]);
      inputs = [next[1]];
    } else if (timer) {
      timers.delete(timer[0]);
      now = Math.max(now, timer[1]);
      inputs = [{ type: 'timerFired', key: timer[0] }];
    } else inputs = Object.keys(messages).some((at) => Number(at) > batch) ? [{ type: 'resumed' }] : [];
  }
  const { status, ctx, results, executed, leaves, pending, children, longTasks } = machine.state;
  const childCount = Object.keys({ ...children, ...longTasks }).length;
  const underWay = { pendingCount: Object.keys(pending).length, childCount, timers: [...timers.keys()] };
  lines.push(line('=', status, { ctx, results, executed, leaves, ...underWay }));
  return lines;
}

function line(sign: string, name: string, fields: object): string {
  return `${sign} ${name} ${JSON.stringify(fields)}`;
}

const FOLDER = path.join(__dirname, '../traces');

/** Compares with the recorded trace of that name; with `UPDATE_TRACES=1` records it. */
export function expectTrace(name: string, lines: readonly string[]): void {
  const file = path.join(FOLDER, `${name}.trace`);
  const text = `${lines.join('\n')}\n`;
  if (process.env['UPDATE_TRACES']) fs.writeFileSync(file, text);
  expect(text.split('\n')).toEqual(fs.readFileSync(file, 'utf8').split('\n'));
}
