/**
 * The keychain of a run: before the first step one activity checks that every entry resolves, and answers with what may
 * be known of each. From then on `keychain.<name>` is a handle; the worker that needs the value resolves it.
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
} from '../../plan';
import { book, causeOf, type Context, unbook } from '../batch';
import { failExecution } from '../tokens';
import { define, type State } from '../state';
import { mappingAt, secretsIn } from '../scope';

/** The task run id of the check: no task has it, since theirs hold a `#`. */
export const KEYCHAIN_RUN = KEYCHAIN_KIND;
/** Seconds the check may take: several services may have to be asked, one after the other. */
const CHECK_TIMEOUT_S = 60;

type Gate = NonNullable<State['gate']>;

/**
 * Asks for the check, and holds the execution until it is done. False when there is nothing to check.
 *
 * @param rerun where a rerun goes on afterwards, and with what
 */
export function checkKeychain(context: Context, rerun?: Gate['rerun']): boolean {
  const { state, plan } = context;
  if (plan.keychain.length === 0) return false;
  // Good for the check only: what is drawn here can be guessed by whoever knows the execution's id.
  if (!openEntries(context, `p${Math.floor(context.environment.random() * 2 ** 32).toString(16)}`))
    return true;
  state.gate = rerun ? { rerun } : {};
  book(state, KEYCHAIN_RUN, '', false);
  context.command({ type: 'runTask', call: checkCall(context), summary: 'keychain', atMostOnce: false });
  return true;
}

function checkCall({ state, plan }: Context): TaskCall {
  const entries = plan.keychain.map(({ name, kind, at, uses }) => ({
    handle: secretHandle(state.keychain![name]!),
    name,
    kind,
    at: [...at],
    ...(uses && { uses: [...uses] }),
  }));
  const config: JsonObject = { entries, ...(plan.source.file !== undefined && { file: plan.source.file }) };
  return {
    execution_id: state.executionId,
    task_run_id: KEYCHAIN_RUN,
    step: KEYCHAIN_KIND,
    task: KEYCHAIN_KIND,
    attempt: 1,
    kind: KEYCHAIN_KIND,
    idempotency_key: `${state.executionId}/${KEYCHAIN_RUN}`,
    input: {},
    config,
    timeout: { total: CHECK_TIMEOUT_S },
    options: {},
    secrets: secretsIn([config], [state.secrets]),
  };
}

/**
 * Takes the answer of the check. Undefined when nothing goes on: an entry does not resolve, so the execution fails, or it
 * is being ended already.
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
  // From the worker's own randomness: data from outside that a playbook hands on cannot name a secret.
  const { nonce } = result;
  return typeof nonce !== 'string' || openEntries(context, nonce) ? gate : undefined;
}

function failureOf(entries: readonly KeychainEntry[], error: OutcomeError): State['failure'] & object {
  const { kind, code, message } = error;
  const { at } = entries.find(({ name }) => name === error['entry']) ?? entries[0]!;
  return { kind, code, message, at, cause: { error: error as Json } };
}

/** Evaluates the entries, and gives each an id under the nonce. False when one cannot be evaluated: the execution fails. */
function openEntries(context: Context, nonce: string): boolean {
  const { state, plan } = context;
  const secrets: Record<string, Secret> = {};
  for (const [id, secret] of Object.entries(state.secrets ?? {}))
    if (!isOf(id, state.keychain)) define(secrets, id, secret);
  state.secrets = secrets;
  const ids: Record<string, string> = {};
  for (const [position, { name }] of plan.keychain.entries()) define(ids, name, `${nonce}.k${position}`);
  state.keychain = ids;
  // Known before any is evaluated: an entry may refer to one that stands below it.
  for (const entry of plan.keychain) define(secrets, ids[entry.name]!, secretOf(context, entry, {}));
  for (const entry of plan.keychain) {
    try {
      define(secrets, ids[entry.name]!, secretOf(context, entry, mappingAt(context, entry.config, {})));
    } catch (error) {
      failExecution(context, causeOf(error, `keychain entry ${entry.name}`, entry.at));
      return false;
    }
  }
  return true;
}

function secretOf({ state }: Context, { name, kind }: KeychainEntry, config: JsonObject): Secret {
  return { entry: { name, kind, config, execution_id: state.executionId } };
}

/** Whether the id is one of an earlier opening: its entries, and the templates that read them. */
function isOf(id: string, keychain: State['keychain']): boolean {
  const nonces = new Set(Object.values(keychain ?? {}).map((each) => each.split('.')[0]));
  return nonces.has(id.split('.')[0]);
}
