/** Priority and fairness of a task among those that wait for a worker. */
import { compact, type PriorityPlan, type TaskPriority } from '../../../language/plan';
import { type Context, EngineError } from '../batch';
import { type EnginePlace, evaluateAt } from '../scope';
import { seedFrom } from '../state';
import { LimitFields } from './limit-call';

/** Temporal's limits. A key may have 64 bytes, and a character of UTF-8 has at most four. */
const LOWEST_PRIORITY = 5;
const MAX_CHARACTERS = 16;
const MAX_ASCII = 64;
const [MIN_WEIGHT, MAX_WEIGHT] = [0.001, 1000];

/** @throws EngineError `LIMIT_KEY`, `LIMIT_NUMBER`; TemplateError */
export function priorityAt(
  context: Context,
  { priority, fairness, at }: PriorityPlan,
  place: EnginePlace,
): TaskPriority {
  const fields = new LimitFields(context, place, 'fairness', at);
  const wrong = (what: string): never => {
    throw new EngineError('LIMIT_NUMBER', what, at);
  };
  const number = priority && new LimitFields(context, place, 'spec', at).count(priority, 'priority');
  if (number !== undefined && number > LOWEST_PRIORITY)
    wrong(`priority must be a whole number from 1 (first) to ${LOWEST_PRIORITY}, got ${number}`);
  const key = fairness && shortened(fields.key(fairness.key));
  const weight = fairness?.weight && Number(evaluateAt(context, fairness.weight, place));
  if (weight !== undefined && !(weight >= MIN_WEIGHT && weight <= MAX_WEIGHT))
    wrong(`weight of fairness must be a number from ${MIN_WEIGHT} to ${MAX_WEIGHT}, got ${weight}`);
  return compact({ priorityKey: number, fairnessKey: key, fairnessWeight: weight });
}

/** Distinct keys stay distinct. */
function shortened(key: string): string {
  const isAscii = /^[\x20-\x7e]*$/.test(key);
  if (key.length <= (isAscii ? MAX_ASCII : MAX_CHARACTERS)) return key;
  const digest = seedFrom(key).map((word) => word.toString(16).padStart(8, '0'));
  return digest.join('');
}
