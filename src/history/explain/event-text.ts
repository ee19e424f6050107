/** Events and rules in the author's terms. */
import { type RulePlan } from '../../language/plan';
import { type CanonicalEvent } from '../events';
import { explainedError } from './words';

/** The effect of a rule, in the author's terms. */
export function effectText({ actions, endLoop, move }: RulePlan): string {
  const moves = move?.do === 'retry' && move.endless ? 'call' : move?.do;
  return [
    ...actions.map((action) => action.do),
    ...(endLoop ? ['end_loop'] : []),
    ...(moves ? [moves] : []),
  ].join(', ');
}

/** What the rules of a task decided: the payload of its event. */
export function directiveText(payload: CanonicalEvent['payload']): string {
  const { directive, delay_s, attempts, page, to, exhausted } = payload;
  if (delay_s !== undefined) {
    const what = page === undefined ? 'retry' : `page ${String(page)}`;
    const wait = Number(delay_s) > 0 ? `after ${String(delay_s)} s` : 'at once';
    const most = page === undefined ? 'attempts in total' : 'pages';
    return `${what} ${wait}${attempts === undefined ? '' : `, at most ${String(attempts)} ${most}`}`;
  }
  if (directive === 'jump') return `jump to ${String(to)}`;
  if (exhausted !== undefined && directive === 'fail')
    return `fail: ${String(exhausted)} attempts are exhausted`;
  return String(directive);
}

/** A limit by key, as its author names it. */
export function limitName({ payload: { key, scope, limit } }: CanonicalEvent): string {
  const of = typeof limit === 'number' ? ` (limit ${limit})` : '';
  return `${key === '' ? `the limit of ${String(scope)}` : `the key ${JSON.stringify(key)}`}${of}`;
}

/** Why an execution or a task waits for a limit. */
export function limitText(event: CanonicalEvent): string {
  const { of, holders, ahead, until, per_s } = event.payload;
  if (of === 'debounce') return `queued: a newer execution would replace it until ${String(until)}`;
  if (of === 'rate')
    return `task ${event.task_run_id} starts at ${String(until)}, to keep ${limitName(event)} per ${String(per_s)} s`;
  const before = Number(ahead) > 0 ? `, and ${String(ahead)} wait before it` : '';
  return `queued: execution ${(holders as string[]).join(', ')} holds ${limitName(event)}${before}`;
}

/** The reason that was given for an action from outside, in parentheses; empty without one. */
export function reasonText(event: CanonicalEvent): string {
  return event.payload['reason'] ? ` (${String(event.payload['reason'])})` : '';
}

/** Which step provided the execution's result, and why. */
export function endText({ status, payload }: CanonicalEvent): string {
  if (status === 'error') return `the execution failed: ${explainedError(payload['error'])}`;
  if (status === 'cancelled')
    return `the execution was cancelled${payload['reason'] ? `: ${String(payload['reason'])}` : ''}`;
  const of = payload['result_of'];
  if (typeof of !== 'string') return 'the execution completed; no step ended with a result';
  const why =
    of === 'end'
      ? 'step end ran'
      : 'there is no step named end, and among the finished leaf steps it comes last in the playbook';
  return `the execution completed with the result of step ${of}: ${why}`;
}
