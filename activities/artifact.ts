/**
 * Tool kind `artifact`: a value of the playbook's choice in the store of large results (DESIGN.md D25). `put` answers
 * with its reference `{store, key, range, size, checksum, schema_hint}` (S4 §10), a few hundred bytes that travel
 * through variables and inputs instead of the value; `get` answers with the value of a reference, that of a stored task
 * result (`{{ step._ref }}`) too. What is put belongs to the execution and is kept as long as its results.
 */
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import {
  isMapping,
  type Json,
  type JsonObject,
  type Outcome,
  type TaskCall,
  unpackOutcome,
  type WireOutcome,
  workflowId,
} from '../src/plan';
import { type Origin, type Reference, type ResultStore, schemaHint, STORED_VALUE } from '../src/payloads';
import { type Deadline, withDeadline } from './deadline';
import { field, textField, typeName } from './fields';
import { invalid, succeeded, ToolError } from './outcome';
import { storeFailure } from './store-failure';
import { type Tool, type ToolContext } from './tool';

export const artifact: Tool = {
  kind: 'artifact',
  run: (call, context) => withDeadline(call, context.signal, (deadline) => execute(call, context, deadline)),
};

async function execute(call: TaskCall, context: ToolContext, deadline: Deadline): Promise<Outcome> {
  const action = (textField(call, 'action') ?? guess(call)).trim().toLowerCase();
  if (action !== 'put' && action !== 'get') {
    throw invalid(`artifact: action '${action}' is not one of get, put`, 'INVALID_ACTION');
  }
  const store = context.results;
  if (!store) {
    const message =
      'artifact: this worker has no store; start it with --storage or NOETL_STORAGE (docs/large-results.md)';
    throw invalid(message, 'NO_STORE');
  }
  try {
    return succeeded(
      action === 'put' ? await put(call, store, deadline) : await get(call, store, deadline.signal),
    );
  } catch (error) {
    throw deadline.reason() ?? (error instanceof ToolError ? error : storeFailure('artifact', error));
  }
}

function guess(call: TaskCall): string {
  return call.config['data'] === undefined && call.input['data'] === undefined ? 'get' : 'put';
}

async function put(call: TaskCall, store: ResultStore, { signal }: Deadline): Promise<JsonObject> {
  const value = call.config['data'] ?? call.input['data'];
  if (value === undefined || value === null) {
    throw invalid(
      'artifact: there is no `data` to store; often the step it comes from returned nothing',
      'NO_DATA',
    );
  }
  const plain = defaultPayloadConverter.toPayload(value);
  const payload: Payload = { ...plain, metadata: { ...plain.metadata, [STORED_VALUE]: Buffer.from('1') } };
  const origin = await store.put(workflowId(call.execution_id), payload, signal);
  const size = payload.data?.length ?? 0;
  const reference: Reference = { ...origin, range: null, size, schema_hint: schemaHint(value) };
  return { ...reference };
}

async function get(call: TaskCall, store: ResultStore, signal: AbortSignal): Promise<Json> {
  const origin = originIn(field(call.config, 'ref', 'result_ref') ?? field(call.input, 'ref', 'result_ref'));
  const payload = await store.get(origin, signal);
  if (!payload) {
    const message = `artifact: the value is in the store '${origin.store}', which this worker does not have (it has ${store.shown})`;
    throw invalid(message, 'OTHER_STORE', { store: origin.store });
  }
  const value = defaultPayloadConverter.fromPayload<Json>(payload);
  if (payload.metadata?.[STORED_VALUE]) return value;
  // A task's outcome, as history refers to it.
  return isMapping(value) && 'status' in value ? unpackOutcome(value as WireOutcome).result : value;
}

/** @throws ToolError `NO_REFERENCE`, `INVALID_REFERENCE`, `NOT_STORED` */
function originIn(given: Json | undefined): Origin {
  if (given === undefined || given === '') {
    const message =
      'artifact: there is no `ref` to fetch; a step has `_ref` only when its result was large enough to be stored';
    throw invalid(message, 'NO_REFERENCE');
  }
  const reference = typeof given === 'string' ? parsed(given) : given;
  if (!isMapping(reference)) throw notAReference(`it is ${typeName(given)}`);
  const { store, key, checksum, range } = reference as JsonObject;
  if (store === 'history') {
    const message = 'artifact: this reference names a value inside of history, which no store has';
    throw invalid(message, 'NOT_STORED');
  }
  for (const [name, value] of Object.entries({ store, key, checksum })) {
    if (typeof value !== 'string' || value === '') throw notAReference(`it has no text \`${name}\``);
  }
  if (range !== undefined && range !== null) throw notAReference('a `range` cannot be fetched by itself');
  if (!/^sha256:[0-9a-f]{64}$/.test(checksum as string))
    throw notAReference('its `checksum` is not sha256:<hex>');
  return { store, key, checksum } as Origin;
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function notAReference(why: string): ToolError {
  const message = `artifact: \`ref\` is not a reference {store, key, checksum, …}: ${why}; take {{ step._ref }} or what put returned`;
  return invalid(message, 'INVALID_REFERENCE');
}
