import { type RetryPolicy } from '../../plan';
import { type Place } from '../check/place';
import { type RetryDoc } from '../document/document';
import { compileActions, compileKnobs } from './actions';
import { type Values } from './values';

/** The policies by which a task is called again (D17). */
export function compileRetry(policies: readonly RetryDoc[], place: Place, values: Values): RetryPolicy[] {
  return policies.map((policy) => ({
    ...(policy.when === undefined ? {} : { when: values.condition(policy.when, place) }),
    ...(policy.retryWhen === undefined ? {} : { retryWhen: values.condition(policy.retryWhen, place) }),
    ...(policy.stopWhen === undefined ? {} : { stopWhen: values.condition(policy.stopWhen, place) }),
    ...compileKnobs(policy, place, values),
    actions: compileActions(policy.actions, place, values),
    at: values.at(policy.at),
  }));
}
