/** Arguments of an execution's workflow: `[payload, plan?, context?]`, so that a person only needs the payload. */
import { type JsonObject } from '../../language/plan/json';
import { WORKFLOW_TYPE } from '../../language/plan/names';
import { type Plan } from '../../language/plan/plan';
import { compressible } from './compressible';
import { limitInline } from './inline';

/**
 * @param inlineBytes size from which each argument is stored outside history; undefined when it is in a plan still to
 * be resolved
 */
export function workflowArguments(
  { payload = {}, plan, ...context }: { readonly payload?: JsonObject; readonly plan?: Plan },
  inlineBytes?: number,
): unknown[] {
  const limited = <T extends object>(value: T): T =>
    inlineBytes === undefined ? value : limitInline(value, inlineBytes);
  const given = [limited({ ...payload }), plan ? limited(compressible(plan)) : null];
  const isMore = Object.values(context).some((value) => value !== undefined);
  return isMore ? [...given, limited(compressible(context))] : given;
}

/**
 * Parses the arguments. Without a plan it has to be resolved: from the call in the context, otherwise from the workflow
 * type, which is the path. For type `playbook`, a single argument is a plan.
 */
export function readArguments<Context extends object>(
  workflowType: string,
  [first, plan, context]: readonly unknown[],
): { readonly payload: JsonObject; readonly plan?: Plan } & Partial<Context> {
  const more = (context ?? {}) as Partial<Context>;
  if (!plan && !context && workflowType === WORKFLOW_TYPE)
    return { ...more, payload: {}, plan: (first ?? {}) as Plan };
  const payload = (first ?? {}) as JsonObject;
  return { ...more, payload, ...(plan ? { plan: plan as Plan } : {}) };
}
