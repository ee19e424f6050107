/** Events and rules in the author's terms. */
import { type JsonObject, type RulePlan, isMapping } from '../../language/plan';
import { type CanonicalEvent } from '../events';

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
    const wait = Number(delay_s) > 0 ? `after ${Number(Number(delay_s).toFixed(3))} s` : 'at once';
    const most = page === undefined ? 'attempts in total' : 'pages';
    return `${what} ${wait}${attempts === undefined ? '' : `, at most ${String(attempts)} ${most}`}`;
  }
  if (directive === 'jump') return `jump to ${String(to)}`;
  if (exhausted !== undefined) return `${String(directive)}: ${String(exhausted)} attempts are exhausted`;
  return String(directive);
}

/** Where a result that was not computed comes from. */
export function cachedText({ execution_id, task_run_id, created_at }: JsonObject): string {
  return `the result of ${String(task_run_id)} of execution ${String(execution_id)} is reused, made at ${String(created_at)}`;
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

/** Which wait took an event, or why none did. @param refused waits whose `when` is false */
export function receivedText({ entity_id, payload }: CanonicalEvent, refused: readonly string[]): string {
  const { taken_by, duplicate, when_error } = payload;
  if (duplicate) return `event ${entity_id} was ignored: one with its id came before`;
  if (typeof taken_by === 'string') return `event ${entity_id} was taken by ${taken_by}`;
  const why = when_error
    ? String(when_error)
    : refused.length > 0
      ? `the \`when\` of ${refused.join(', ')} is false`
      : 'nothing waits for it';
  return `event ${entity_id} was taken by no wait, and is kept: ${why}`;
}

/** `HTTP_503: HTTP 503` */
export function explainedError(error: unknown): string {
  if (!isMapping(error)) return 'without its own error';
  const [message] = String(error['message'] ?? '').split('\n');
  const place = [error['step'], error['task']].filter((part) => typeof part === 'string').join('/');
  return `${place ? `${place}: ` : ''}${String(error['code'] ?? 'ERROR')}: ${message}`;
}

export function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
