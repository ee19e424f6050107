/**
 * Execution variables as rows of noetl.transient. Their values come from the state, not from accumulated patches:
 * iterations of a parallel loop are collected in the order of the items, whichever settles first.
 */
import { boundedValue, type VariableWriter, variableWriter } from '../../../history';
import { isMapping, type Json, type JsonObject, type Plan } from '../../../language/plan';
import { inlineBytesOf } from '../../../storage/payloads';
import { type EventItem, type ProjectedVariable, type VariableChanges } from '../sink';

interface Write extends VariableWriter {
  readonly at: string;
  readonly eventId: string;
}

/**
 * Variables changed by events.
 *
 * @param after.variables all of them, after the last of the events
 */
export function variableChanges({
  events,
  variables,
  plan,
}: {
  readonly events: readonly EventItem[];
  readonly variables: Readonly<JsonObject>;
  readonly plan: Plan;
}): VariableChanges {
  const touched = new Map<string, Write>();
  let isWhole = false;
  for (const { event } of events) {
    const { event_type, payload, timestamp: at, event_id: eventId } = event;
    const names = namesIn(event_type, payload);
    const writer = variableWriter(event);
    isWhole ||= names === 'all';
    for (const name of names === 'all' ? Object.keys(variables) : names)
      touched.set(name, { ...writer, at, eventId });
  }
  const limit = inlineBytesOf(plan);
  const written: ProjectedVariable[] = [];
  const deleted: string[] = [];
  for (const [name, { type, step, at, eventId }] of touched) {
    if (!Object.hasOwn(variables, name)) deleted.push(name);
    else {
      const var_value = boundedValue(name, variables[name] ?? null, limit, eventId);
      written.push({ var_name: name, var_type: type, var_value, source_step: step, at });
    }
  }
  return { written, deleted, isWhole };
}

/** Names that an event may have changed; 'all' if unknown. */
function namesIn(type: string, payload: { readonly [key: string]: Json | undefined }): string[] | 'all' {
  switch (type) {
    case 'playbook.reset':
      return 'all';
    case 'variables.deleted':
      return Array.isArray(payload['names']) ? (payload['names'] as string[]) : 'all';
    case 'ctx.patched': {
      const { patch, collect } = payload;
      if (isMapping(collect)) return namesOn(String(collect['into']));
      return isMapping(patch) && !isReference(patch) ? Object.keys(patch).flatMap(namesOn) : 'all';
    }
    default:
      return [];
  }
}

/** A path starts with the variable's name; a variable set from outside may have dots in its name. */
function namesOn(path: string): string[] {
  return path.includes('.') ? [path, path.slice(0, path.indexOf('.'))] : [path];
}

/** The reference that replaces a patch larger than the limit of events. */
function isReference(patch: object): boolean {
  return Object.hasOwn(patch, 'store') && Object.hasOwn(patch, 'checksum');
}
