// Stands in for another system: sends a message as it would. `WEBHOOK_SECRET=… node send.mjs BODY [ADDRESS]`
import { createHmac } from 'node:crypto';

const [body = '{"id": "A-1", "amount": 40}', address = 'http://127.0.0.1:8082/ingress/orders'] = process.argv.slice(2);
const signature = createHmac('sha256', process.env.WEBHOOK_SECRET ?? '').update(body).digest('hex');
const answer = await fetch(address, {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-signature': `sha256=${signature}` },
  body,
});
console.log(answer.status, await answer.text());
