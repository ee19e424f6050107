/** How the workflow of an execution is started: `[payload, plan?, context?]`, so that a person needs the payload only. */
import { type JsonObject } from '../plan/json';
import { WORKFLOW_TYPE } from '../plan/names';
import { type Plan } from '../plan/plan';
import { compressible } from './compressible';
import { limitInline } from './inline';

/** @param inlineBytes size from which each of them leaves history; undefined where the plan, which says it, is to be found */
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
 * What the arguments say. Without a plan it is to be found: by the call that is in the context, else by the workflow's
 * type, which is the path. Of type `playbook`, a single argument is a plan.
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
