/** Copies of states: values are shared, since nothing ever changes them; whatever a machine changes is copied. */
import { defineMember } from './record';
import { initialState, type State } from './state';

/** Members with values, and with causes of failures: replaced, never changed. */
const VALUES: ReadonlySet<string> = new Set([
  ...['workload', 'args', 'outcome', 'items', 'payload', 'base', 'value', 'config', 'input'],
  ...['caller', 'failure', 'cause', 'stopping', 'error', 'settled', 'event', 'keychain', 'skipped'],
]);

/** Members whose own members are values: variables by name, results by name or in a list, and the like. */
const TABLES_OF_VALUES: ReadonlySet<string> = new Set([
  ...['ctx', 'vars', 'iter', 'locals', 'results', 'secrets', 'reuse', 'inbox', 'pending'],
]);

/** A state that a machine may work on, while the given one stays as it is. */
export function copyState(state: State): State {
  // As a machine's own: a copy of another hidden class makes V8 discard all code optimised for states.
  const copy = initialState(state.engineVersion, state.executionId, [0, 0, 0, 0], 0);
  for (const [name, part] of Object.entries(state))
    defineMember(copy as never, name, copyOfState(part, name) as never);
  return copy;
}

/** A copy of a part of a state. @param name the member of the state that it is */
export function copyOfState<T>(part: T, name: string): T {
  if (typeof part !== 'object' || part === null || VALUES.has(name)) return part;
  if (TABLES_OF_VALUES.has(name)) return flat(part);
  // Its keys are names of variables.
  if (name === 'writes') return mapped(part, (byIteration) => flat(byIteration));
  return mapped(part, copyOfState);
}

function flat<T>(part: T): T {
  return mapped(part, (member) => member);
}

function mapped<T>(part: T, change: (member: unknown, name: string) => unknown): T {
  if (Array.isArray(part)) return part.map((member) => change(member, '')) as T;
  const copy = (Object.getPrototypeOf(part) === null ? Object.create(null) : {}) as Record<string, unknown>;
  for (const [name, member] of Object.entries(part as object)) defineMember(copy, name, change(member, name));
  return copy as T;
}
