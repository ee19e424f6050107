/** What a playbook says of its inputs, in its plan too: whoever runs a sub-playbook has its plan, not its text. */
import { didYouMean } from '../../template/suggest';
import { isMapping, type JsonObject } from '../json';
import { checkInputs, type WrongInput } from './check';
import { type InputSchema, schemasIn } from './schema';

/** Every item of a list, in a path of `Plan.secretPaths`. */
export const EACH_ITEM = '*';

export interface PlanInputs {
  /** `metadata.workload`, as written. */
  readonly schemas: JsonObject;
  /** Keys of the workload that have a value other than null. */
  readonly defaulted: readonly string[];
  /** Keys of the workload that are null and that `metadata.workload` does not have, where there are any. */
  readonly unset?: readonly string[];
}

/** @param playbook the document; undefined where it says nothing of its inputs */
export function playbookInputs({ metadata, workload }: JsonObject): PlanInputs | undefined {
  const schemas = isMapping(metadata) ? metadata['workload'] : undefined;
  if (!isMapping(schemas) || Object.keys(schemas).length === 0) return undefined;
  const values = Object.entries(isMapping(workload) ? workload : {});
  const unset = values.flatMap(([key, value]) =>
    value === null && !Object.hasOwn(schemas, key) ? [key] : [],
  );
  return {
    schemas: schemas as JsonObject,
    defaulted: values.flatMap(([key, value]) => (value === null ? [] : [key])),
    ...(unset.length > 0 && { unset }),
  };
}

/** Every value of a payload that a playbook does not take; none where it says nothing. */
export function wrongInputs(inputs: PlanInputs | undefined, payload: JsonObject): WrongInput[] {
  if (inputs === undefined) return [];
  return checkInputs(schemasIn(inputs.schemas), new Set(inputs.defaulted), payload);
}

/**
 * As `wrongInputs`, of who starts an execution: what is neither declared nor in the workload is wrong too. Calls may hand on
 * more, for the inputs of a step travel with those of its call.
 */
export function refusedInputs(inputs: PlanInputs | undefined, payload: JsonObject): WrongInput[] {
  if (inputs === undefined) return [];
  const { schemas, defaulted, unset = [] } = inputs;
  const names = new Set([...Object.keys(schemas), ...defaulted, ...unset]);
  const unknown = Object.keys(payload).flatMap((key) =>
    names.has(key) ? [] : [{ at: `workload.${key}`, message: `is no input${didYouMean(key, names)}` }],
  );
  return [...wrongInputs(inputs, payload), ...unknown];
}

/** Ways to the inputs that a playbook calls secret, as `Plan.secretPaths` has them. */
export function secretPathsOf({ schemas }: Pick<PlanInputs, 'schemas'>): string[][] {
  return [...schemasIn(schemas)].flatMap(([key, schema]) => secretPathsIn(schema, [key]));
}

function secretPathsIn({ secret, properties, items }: InputSchema, at: readonly string[]): string[][] {
  // A secret mapping is secret as a whole: what is said of its parts adds nothing.
  if (secret) return [[...at]];
  const below = [...(properties ?? []), ...(items ? [[EACH_ITEM, items] as const] : [])];
  return below.flatMap(([key, schema]) => secretPathsIn(schema, [...at, key]));
}
