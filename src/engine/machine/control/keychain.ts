/**
 * The keychain of a run. Before the first step one activity checks that every entry resolves, and returns the
 * non-secret metadata of each. From then on `keychain.<name>` is a handle, resolved by the worker that needs the value.
 */
import {
  isMapping,
  type Json,
  type JsonObject,
  KEYCHAIN_KIND,
  type KeychainEntry,
  type Outcome,
  type OutcomeError,
  type Secret,
  secretHandle,
  type TaskCall,
} from '../../../language/plan';
import { book, causeOf, type Context, ownCall, takeNotes, unbook } from '../batch';
import { failExecution } from '../tokens';
import { defineMember, type State } from '../state';
import { mappingAt, secretsIn } from '../scope';

/** Task run id of the check: no task can have it, since theirs contain a `#`. */
export const KEYCHAIN_RUN = KEYCHAIN_KIND;
/** Time limit of the check in seconds: it may have to call several services one after the other. */
const CHECK_TIMEOUT_S = 60;

type Gate = NonNullable<State['gate']>;

/**
 * Schedules the check and holds the execution until it completes. False when there is nothing to check.
 *
 * @param rerun where a rerun continues afterwards, and its input
 */
export function checkKeychain(context: Context, rerun?: Gate['rerun']): boolean {
  const { state, plan } = context;
  if (plan.keychain.length === 0) return false;
  // Used for the check only: anyone who knows the execution's id can guess random values drawn here.
  if (!openEntries(context, `p${Math.floor(context.environment.random() * 2 ** 32).toString(16)}`))
    return true;
  state.gate = rerun ? { rerun } : {};
  book(state, KEYCHAIN_RUN, '', false);
  context.command({ type: 'runTask', call: checkCall(context), summary: 'keychain', atMostOnce: false });
  return true;
}

function checkCall({ state, plan }: Context): TaskCall {
  const entries = plan.keychain.map(({ name, kind, at, uses, optional }) => ({
    handle: secretHandle(state.keychain![name]!),
    name,
    kind,
    at: [...at],
    ...(uses && { uses: [...uses] }),
    ...(optional && { optional }),
  }));
  const config: JsonObject = { entries, ...(plan.source.file !== undefined && { file: plan.source.file }) };
  return {
    ...ownCall(state, KEYCHAIN_RUN, KEYCHAIN_KIND, config),
    timeout: { total: CHECK_TIMEOUT_S },
    secrets: secretsIn([config], [state.secrets]),
  };
}

/**
 * Handles the result of the check. Undefined when nothing follows: an entry did not resolve, so the execution fails, or
 * the execution is already ending.
 */
export function keychainChecked(context: Context, outcome: Outcome): Gate | undefined {
  const { state, plan } = context;
  const { gate } = state;
  if (unbook(state, KEYCHAIN_RUN) === undefined || !gate) return undefined;
  delete state.gate;
  const result = isMapping(outcome.result) ? (outcome.result as JsonObject) : {};
  const entries = result['entries'] ?? plan.keychain.map(({ name, kind }) => ({ name, kind }));
  const { error } = outcome;
  const { path } = plan.metadata;
  if (error) context.emit?.('keychain.failed', path, 'error', { error: error as JsonObject });
  else context.emit?.('keychain.resolved', path, 'success', { entries });
  if (state.status === 'failing' || state.status === 'cancelling') return undefined;
  if (error) {
    failExecution(context, failureOf(plan.keychain, error));
    return undefined;
  }
  noteUnresolved(context, entries);
  // Comes from the worker's randomness, so that external data passed on by a playbook cannot forge a handle.
  const { nonce } = result;
  return typeof nonce !== 'string' || openEntries(context, nonce) ? gate : undefined;
}

/** Optional entries that did not resolve: what reads them takes its default. */
function noteUnresolved({ state, plan }: Context, entries: Json): void {
  for (const each of Array.isArray(entries) ? entries : []) {
    const { name, unresolved } = each as JsonObject;
    const at = plan.keychain.find((entry) => entry.name === name)?.at;
    if (typeof unresolved !== 'string' || at === undefined) continue;
    const message = `keychain entry '${String(name)}' does not resolve, so what reads it takes its default: ${unresolved}`;
    takeNotes(state, { kept: [{ code: 'SECRET_UNRESOLVED', message, at }], count: 1 });
  }
}

function failureOf(entries: readonly KeychainEntry[], error: OutcomeError): State['failure'] & object {
  const { kind, code, message } = error;
  const { at } = entries.find(({ name }) => name === error['entry']) ?? entries[0]!;
  return { kind, code, message, at, cause: { error: error as Json } };
}

/**
 * Evaluates the entries and gives each an id under the nonce. False when one cannot be evaluated: the execution fails.
 */
function openEntries(context: Context, nonce: string): boolean {
  const { state, plan } = context;
  const secrets: Record<string, Secret> = {};
  for (const [id, secret] of Object.entries(state.secrets ?? {}))
    if (!isOf(id, state.keychain)) defineMember(secrets, id, secret);
  state.secrets = secrets;
  const ids: Record<string, string> = {};
  for (const [position, { name }] of plan.keychain.entries())
    defineMember(ids, name, `${nonce}.k${position}`);
  state.keychain = ids;
  // All ids are assigned before any entry is evaluated: an entry may refer to one defined below it.
  for (const entry of plan.keychain) defineMember(secrets, ids[entry.name]!, secretOf(context, entry, {}));
  for (const entry of plan.keychain) {
    try {
      defineMember(secrets, ids[entry.name]!, secretOf(context, entry, mappingAt(context, entry.config, {})));
    } catch (error) {
      failExecution(context, causeOf(error, `keychain entry ${entry.name}`, entry.at));
      return false;
    }
  }
  return true;
}

function secretOf({ state }: Context, { name, kind, optional }: KeychainEntry, config: JsonObject): Secret {
  return { entry: { name, kind, config, execution_id: state.executionId, ...(optional && { optional }) } };
}

/** Whether the id belongs to an earlier opening of the keychain: its entries, and the templates that read them. */
function isOf(id: string, keychain: State['keychain']): boolean {
  const nonces = new Set(Object.values(keychain ?? {}).map((each) => each.split('.')[0]));
  return nonces.has(id.split('.')[0]);
}
