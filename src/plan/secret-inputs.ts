import { type JsonObject } from './json';
import { type Plan } from './plan';
import { handleOf } from './secret';

/** Secret fields whose values stand in the payload in the open. */
export function plainSecretInputs(plan: Plan, payload: JsonObject): string[] {
  return (plan.secretInputs ?? []).filter((name) => {
    const value = Object.hasOwn(payload, name) ? payload[name]! : null;
    return value !== null && value !== '' && !handleOf(value);
  });
}
