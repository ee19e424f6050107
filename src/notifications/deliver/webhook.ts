/** Signed webhooks, as Standard Webhooks describes them (https://www.standardwebhooks.com). */
import { createHmac } from 'node:crypto';
import { type Channel, type ChannelServices, fieldOf, post, refusal } from './channel';

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
    const name = target.secret;
    const key = keyOf(name, fieldOf(await services.credential(name), { name, field: 'secret', hint: HINT }));
    const body = JSON.stringify(message);
    const timestamp = Math.floor(services.now() / 1000);
    const { origin, pathname } = new URL(target.webhook);
    await post(services, target.webhook, {
      shown: `the webhook ${origin}${pathname}`,
      body,
      headers: {
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signature(key, { id, timestamp, body }),
      },
    });
  };
}

function keyOf(name: string, secret: string): Buffer {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
  if (key.length >= MIN_BYTES) return key;
  throw refusal('NOTIFICATION_CREDENTIAL', `the secret of the credential ${name} is too short: ${HINT}`);
}
