/**
 * Tool kind `nats`: key-value buckets, object stores and streams of a NATS server, through its official client. Each
 * task has its own connection.
 */
import { type Outcome, type TaskCall } from '../../../src/language/plan';
import { resolveAuth } from '../../framework/credentials/auth';
import { type Deadline, withDeadline } from '../../framework/tool/deadline';
import { textField } from '../../framework/tool/fields';
import { withNats } from './client';
import { OPERATIONS } from './operations';
import { invalidInput, succeeded } from '../../framework/tool/outcome';
import { type Tool, type ToolContext } from '../../framework/tool/tool';

const DEFAULT_CONNECT_TIMEOUT_S = 10;

export const nats: Tool = {
  kind: 'nats',
  run: (call, context) => withDeadline(call, context.signal, (deadline) => execute(call, context, deadline)),
};

async function execute(call: TaskCall, context: ToolContext, deadline: Deadline): Promise<Outcome> {
  const name = textField(call, 'operation')?.trim().toLowerCase() ?? '';
  const operation = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;
  if (!operation) {
    const message = `nats: operation '${name}' is not one of ${Object.keys(OPERATIONS).join(', ')}`;
    throw invalidInput(message, 'INVALID_OPERATION');
  }
  const credential = await resolveAuth(call, context.credentials);
  const connectMs = Math.min(call.timeout.connect ?? DEFAULT_CONNECT_TIMEOUT_S, deadline.seconds) * 1000;
  return succeeded(
    await withNats(credential, connectMs, deadline, (client) => operation(call, client, context.digitsLost)),
  );
}
