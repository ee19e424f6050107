/** A playbook's declared inputs, kept in its plan: the caller of a sub-playbook has its plan, not its text. */
import { templateSuggestion } from '../../template/suggest';
import { isMapping, type JsonObject } from '../json';
import { checkInputs, type WrongInput } from './check';
import { type InputSchema, schemasIn } from './schema';

/** Matches every item of a list, in a path of `Plan.secretPaths`. */
export const EACH_ITEM = '*';

export interface PlanInputs {
  /** `metadata.workload` as written. */
  readonly schemas: JsonObject;
  /** Keys of the workload that have a value other than null. */
  readonly defaulted: readonly string[];
  /** Keys of the workload that are null and missing from `metadata.workload`. */
  readonly unset?: readonly string[];
}

/** @param playbook the document; undefined when it declares no inputs */
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

/** Reports every value in a payload that the playbook does not accept; empty when it declares no inputs. */
export function wrongInputs(inputs: PlanInputs | undefined, payload: JsonObject): WrongInput[] {
  if (inputs === undefined) return [];
  return checkInputs(schemasIn(inputs.schemas), new Set(inputs.defaulted), payload);
}

/**
 * Like `wrongInputs`, for the start of an execution: a key that is neither declared nor in the workload is also an
 * error. Calls may pass more, because a step's inputs are sent along with those of its call.
 */
export function refusedInputs(inputs: PlanInputs | undefined, payload: JsonObject): WrongInput[] {
  if (inputs === undefined) return [];
  return [...wrongInputs(inputs, payload), ...unknownInputs(inputs, Object.keys(payload))];
}

export function unknownInputs(inputs: PlanInputs, keys: readonly string[]): WrongInput[] {
  const names = new Set(inputNames(inputs));
  return keys.flatMap((key) =>
    names.has(key)
      ? []
      : [{ at: `workload.${key}`, message: `is not an input${templateSuggestion(key, names)}` }],
  );
}

export function inputNames({ schemas, defaulted, unset = [] }: PlanInputs): string[] {
  return [...new Set([...Object.keys(schemas), ...defaulted, ...unset])];
}

/** Paths to the inputs that a playbook declares secret, in the form of `Plan.secretPaths`. */
export function secretPathsOf({ schemas }: Pick<PlanInputs, 'schemas'>): string[][] {
  return [...schemasIn(schemas)].flatMap(([key, schema]) => secretPathsIn(schema, [key]));
}

function secretPathsIn({ secret, properties, items }: InputSchema, at: readonly string[]): string[][] {
  // A secret mapping is secret as a whole: declarations of its parts add nothing.
  if (secret) return [[...at]];
  const below = [...(properties ?? []), ...(items ? [[EACH_ITEM, items] as const] : [])];
  return below.flatMap(([key, schema]) => secretPathsIn(schema, [...at, key]));
}
