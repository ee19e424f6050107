// A door for webhooks of other systems: it checks the signature over the bytes that came (GitHub's form, HMAC-SHA256),
// and starts a playbook with the body. A delivery that is sent again starts nothing new. Nothing but Node.
//
//   WEBHOOK_SECRET=… NOETL_TOKEN=… node playbooks/api/webhook.mjs PLAYBOOK [--port 8088]
import { createHmac, timingSafeEqual } from 'node:crypto';
import http from 'node:http';

const { WEBHOOK_SECRET: secret, NOETL_TOKEN: token, NOETL_FACADE_URL: facade = 'http://127.0.0.1:8082' } = process.env;
const [path, ...rest] = process.argv.slice(2);
const port = rest[0] === '--port' ? Number(rest[1]) : 8088;
if (!path || !secret) throw new Error('usage: WEBHOOK_SECRET=… node playbooks/api/webhook.mjs PLAYBOOK [--port 8088]');

/** Larger ones are not read to their end. */
const MAX_BYTES = 1024 * 1024;

async function bytesOf(request) {
  const pieces = [];
  let size = 0;
  for await (const piece of request) {
    size += piece.length;
    if (size > MAX_BYTES) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function isSigned(bytes, signature = '') {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`);
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** @returns the status to answer with: senders repeat what was not accepted */
async function receive({ headers }, bytes) {
  if (!bytes) return 413;
  if (!isSigned(bytes, headers['x-hub-signature-256'])) return 401;
  let body;
  try {
    body = JSON.parse(bytes.toString('utf8'));
  } catch {
    return 422;
  }
  const started = await fetch(`${facade}/api/execute`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'idempotency-key': String(headers['x-github-delivery']),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ path, workload: { event: headers['x-github-event'] ?? null, body } }),
  });
  return started.ok ? 202 : 502;
}

const server = http.createServer(async (request, response) => {
  const status = await receive(request, await bytesOf(request)).catch(() => 502);
  response.writeHead(status, { connection: 'close' }).end();
});
server.listen(port, '127.0.0.1', () => {
  process.stdout.write(`webhooks on http://127.0.0.1:${server.address().port} start ${path}\n`);
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close(() => process.exit(0)));
