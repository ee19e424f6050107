/**
 * Tool kind `artifact`: values chosen by the playbook in the store of large results. `put` returns a reference `{store,
 * key, range, size, checksum, schema_hint}` of a few hundred bytes, which is passed through variables and inputs
 * instead of the value; `get` returns the referenced value: one that was put, the result of a task (`{{ step._ref }}`),
 * or a body that a tool streamed into the store. A stored value belongs to the execution and is kept as long as its
 * results.
 */
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import {
  type Json,
  type JsonObject,
  type Outcome,
  type TaskCall,
  workflowId,
} from '../../../src/language/plan';
import {
  type ValueReference,
  type ResultStore,
  schemaHint,
  STORED_VALUE,
} from '../../../src/storage/payloads';
import { type Deadline, withDeadline } from '../../framework/tool/deadline';
import { field, textField } from '../../framework/tool/fields';
import { responseData } from '../../framework/http/body';
import { invalidInput, succeeded, ToolError } from '../../framework/tool/outcome';
import { saveBytes, saveTarget } from '../../framework/results/save-to';
import { openBody, wholeBody } from '../../framework/results/body';
import { originIn, storeOf } from '../../framework/results/reference';
import { storeFailure } from '../../framework/results/store-failure';
import { type Tool, type ToolContext } from '../../framework/tool/tool';

/** Limit for a body returned as a value: no task may return more. */
const MAX_VALUE_BYTES = 32 * 1024 * 1024;

export const artifact: Tool = {
  kind: 'artifact',
  takesNoSecrets:
    'would store this secret unencrypted in the store of results: read it in the task that needs it; the result of a task ' +
    'is encrypted by its `spec.sensitive`',
  run: (call, context) => withDeadline(call, context.signal, (deadline) => execute(call, context, deadline)),
};

async function execute(call: TaskCall, context: ToolContext, deadline: Deadline): Promise<Outcome> {
  const action = (textField(call, 'action') ?? guess(call)).trim().toLowerCase();
  if (action !== 'put' && action !== 'get') {
    throw invalidInput(`artifact: action '${action}' is not one of get, put`, 'INVALID_ACTION');
  }
  const store = storeOf('artifact', context);
  try {
    return succeeded(
      action === 'put' ? await put(call, store, deadline) : await get(call, store, context, deadline.signal),
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
    throw invalidInput(
      'artifact: there is no `data` to store; perhaps the step it comes from returned nothing',
      'NO_DATA',
    );
  }
  const plain = defaultPayloadConverter.toPayload(value);
  const payload: Payload = { ...plain, metadata: { ...plain.metadata, [STORED_VALUE]: Buffer.from('1') } };
  const origin = await store.put(workflowId(call.execution_id), payload, signal);
  const size = payload.data?.length ?? 0;
  const reference: ValueReference = { ...origin, range: null, size, schema_hint: schemaHint(value) };
  return { ...reference };
}

async function get(
  call: TaskCall,
  store: ResultStore,
  context: ToolContext,
  signal: AbortSignal,
): Promise<Json> {
  const given = field(call.config, 'ref', 'result_ref') ?? field(call.input, 'ref', 'result_ref');
  const target = saveTarget(call, context, field(call.config, 'save_to'));
  if (target && !('file' in target)) {
    throw invalidInput(
      'artifact: save_to must be a file on the worker; the value is already in the store',
      'INVALID_SAVE_TO',
    );
  }
  const body = await openBody('artifact', store, originIn('artifact', 'ref', given), signal);
  const { size, content_type, value } = body;
  if (target) {
    const bytes = { pieces: body.pieces(), contentType: content_type, total: size };
    return saveBytes(call, bytes, target, context, signal);
  }
  if (value !== undefined) return value;
  const whole = await wholeBody('artifact', body, MAX_VALUE_BYTES);
  const response = responseData(whole, content_type ?? '', field(call.config, 'response_type'));
  return response.data_encoding === undefined ? response.data : { ...response };
}
