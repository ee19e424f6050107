/** Webhooks, as Standard Webhooks describes them; those that authors point anywhere are not signed (https://www.standardwebhooks.com). */
import { createHmac } from 'node:crypto';
import { type Channel, type ChannelServices, channelField, post, refusal } from './channel';

const HINT = 'store {"secret": "whsec_…"}, the base64 of at least 24 random bytes';
const PREFIX = 'whsec_';
/** Of the key, as the specification recommends; longer ones are fine. */
const MIN_BYTES = 24;

/** `v1,<base64 of HMAC-SHA256 over id.timestamp.body>`. @param timestamp seconds since the epoch */
export function signature(
  key: Buffer,
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

export function webhookChannel(services: ChannelServices): Channel {
  return async ({ id, target, message }) => {
    if (!('webhook' in target)) return;
    const key = target.secret === undefined ? undefined : await keyNamed(target.secret, services);
    const body = JSON.stringify(message);
    const timestamp = Math.floor(services.now() / 1000);
    const { origin, pathname } = new URL(target.webhook);
    await post(services, target.webhook, {
      shown: `the webhook ${origin}${pathname}`,
      body,
      headers: {
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        ...(key && { 'webhook-signature': signature(key, { id, timestamp, body }) }),
      },
    });
  };
}

async function keyNamed(name: string, { credential }: ChannelServices): Promise<Buffer> {
  return keyOf(name, channelField(await credential(name), { name, field: 'secret', hint: HINT }));
}

function keyOf(name: string, secret: string): Buffer {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
  if (key.length >= MIN_BYTES) return key;
  throw refusal('NOTIFICATION_CREDENTIAL', `the secret of the credential ${name} is too short: ${HINT}`);
}
