/** The changes of `rerun --set`. */
import { isMapping, type JsonObject } from '../../language/plan';
import { UsageError } from '../errors';

/** `ctx.a=v` and `vars.a=v` set variables, everything else workload. */
export function rerunChanges({ ctx, vars, ...payload }: JsonObject): {
  payload: JsonObject;
  variables: JsonObject;
} {
  const variables: JsonObject = {};
  for (const [name, given] of Object.entries({ ctx, vars })) {
    if (given === undefined) continue;
    if (!isMapping(given))
      throw new UsageError(`--set ${name}=…: the variable name is missing, e.g. --set ctx.count=3`);
    Object.assign(variables, given);
  }
  return { payload, variables };
}
