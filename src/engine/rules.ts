/** What happens after a task: the first rule that matches decides (D17, S3 §6). Pure decisions, no writes. */
import { type Outcome, type Rule, type TaskPlan } from '../plan';
import { type Context } from './context';
import { DEFAULT_ATTEMPTS, DEFAULT_DELAY_S, DEFAULT_MAX_DELAY_S, numberAt, secondsAt } from './numbers';
import { type Place } from './scope';
import { holds } from './values';

export type Decision =
  | { readonly do: 'continue' | 'break'; readonly rule: number | null }
  | { readonly do: 'jump'; readonly to: string; readonly rule: number }
  | { readonly do: 'retry'; readonly delay: number; readonly attempts: number; readonly rule: number }
  | { readonly do: 'fail'; readonly rule: number | null; readonly exhausted?: number };

/**
 * Decides the directive for an outcome. `rule` is the index of the rule that won, null for a default.
 *
 * @throws TemplateError when a guard or a delay does; EngineError when `attempts` or `delay` is not a number.
 */
export function decide(
  context: Context,
  task: TaskPlan,
  outcome: Outcome,
  attempt: number,
  place: Place,
): Decision {
  if (task.rules === undefined) return { do: outcome.status === 'ok' ? 'continue' : 'fail', rule: null };
  let exhausted: number | undefined;
  for (const [index, rule] of task.rules.entries()) {
    if (exhausted !== undefined && !appliesAfterExhaustion(rule)) continue;
    if (!holds(context, rule.when, place)) continue;
    if (rule.do === 'retry') {
      const attempts = numberAt(context, rule.attempts, place, DEFAULT_ATTEMPTS, 'attempts', rule.at);
      if (attempt < attempts) {
        return { do: 'retry', attempts, delay: delayOf(context, rule, attempt, outcome, place), rule: index };
      }
      exhausted = attempt;
    } else if (rule.do === 'jump') {
      return { do: 'jump', to: rule.to!, rule: index };
    } else return { do: rule.do, rule: index };
  }
  // An exhausted retry never turns into a success by default (D17).
  return exhausted === undefined ? { do: 'continue', rule: null } : { do: 'fail', rule: null, exhausted };
}

/** After ten 503s an `else: continue` does not make a success: only explicit guards, or an else that jumps or fails. */
function appliesAfterExhaustion(rule: Rule): boolean {
  return rule.do !== 'retry' && (rule.when !== undefined || rule.do === 'jump' || rule.do === 'fail');
}

/** Seconds to wait before attempt + 1. The server's Retry-After counts when it is longer. */
function delayOf(context: Context, rule: Rule, attempt: number, outcome: Outcome, place: Place): number {
  const base = secondsAt(context, rule.delay, place, DEFAULT_DELAY_S, 'delay', rule.at);
  const longest = secondsAt(context, rule.maxDelay, place, DEFAULT_MAX_DELAY_S, 'max_delay', rule.at);
  const factor = { none: 1, linear: attempt, exponential: 2 ** (attempt - 1) }[rule.backoff ?? 'none'];
  return Math.max(0, Math.min(longest, Math.max(base * factor, outcome.error?.retry_after ?? 0)));
}
