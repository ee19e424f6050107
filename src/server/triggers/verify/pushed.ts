/** A verified request as a message. */
import { createHash } from 'node:crypto';
import { isMapping, type JsonObject, type TriggerPlan } from '../../../language/plan';
import { lastHeader } from '../../../language/plan/triggers/mapping';
import { type SourceMessage } from '../source';
import { messageHeaders } from '../sources/arriving';
import { type Verified } from './signature';

export interface PushedRequest {
  readonly request: SourceMessage['headers'];
  readonly bytes: Uint8Array;
  readonly verified: Verified;
  readonly random: () => string;
}

/** With its signature, where the id is one that nobody signed, so that it may differ in a replay. */
export function pushedMessage(plan: TriggerPlan, pushed: PushedRequest): SourceMessage {
  const { request, bytes, verified, random } = pushed;
  const { verify } = plan.ingress!;
  const hidden = ['authorization', 'proxy-authorization', 'cookie', verify.header];
  const headers = Object.fromEntries(Object.entries(request).filter(([name]) => !hidden.includes(name)));
  const metadata: JsonObject = { source: plan.source, mode: 'push', received_at: new Date().toISOString() };
  const message = plan.source === 'pubsub' ? unwrapped(bytes) : undefined;
  if (message)
    return {
      ...message,
      headers: { ...headers, ...message.headers },
      metadata: { ...metadata, ...message.metadata },
    };
  const { signature } = verified;
  const named = lastHeader(request[verify.idHeader ?? '']) ?? lastHeader(request['x-message-id']);
  const id = named ?? (signature === undefined ? random() : `sig:${signature}`);
  const hasOwnKey =
    plan.dispatch.key !== undefined || plan.directives.some(({ controls }) => controls === 'idempotency_key');
  const isSigned = !hasOwnKey && (named === undefined || verify.signed.includes('{id}'));
  const twice = signature === undefined || isSigned ? {} : { signature };
  return { id, bytes, headers, attributes: {}, metadata, ...twice };
}

/** What Pub/Sub wraps a message in. */
function unwrapped(bytes: Uint8Array): SourceMessage | undefined {
  let body: unknown;
  try {
    body = JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
  const message = isMapping(body) ? body['message'] : undefined;
  if (!isMapping(message)) return undefined;
  const { data = '', attributes: named, messageId, message_id = messageId, publishTime = null } = message;
  const id = typeof message_id === 'string' ? message_id : createHash('sha256').update(bytes).digest('hex');
  const attributes = isMapping(named) ? (named as JsonObject) : {};
  return {
    id,
    bytes: Buffer.from(String(data), 'base64'),
    headers: messageHeaders(Object.entries(attributes).map(([name, value]) => [name, String(value)])),
    attributes,
    metadata: { messageId: id, publishTime } as JsonObject,
  };
}
