/** Delivery to real receivers: HTTP and SMTP servers of this process. */
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { Agent } from 'undici';
import { type JsonObject, type NotificationTarget } from '../../../language/plan';
import { type Message } from '../message';
import { chatChannel } from './chat';
import { type Channel, type ChannelServices } from './channel';
import { emailChannel } from './email';
import { signature, webhookChannel } from './webhook';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const message: Message = {
  type: 'execution.failed',
  timestamp: '2026-01-02T03:04:05.678Z',
  data: {
    cause: 'failed',
    execution_id: '7',
    namespace: 'default',
    path: 'etl/load',
    status: 'failed',
    step: 'store',
    error: { code: 'SQLSTATE_42P01', message: 'no table <!channel> "x" & y\n> @all' },
    ended_at: '2026-01-02T03:04:05.678Z',
    duration_s: 3.5,
  },
};

let answer = 200;
const requests: { headers: http.IncomingHttpHeaders; body: string }[] = [];
const server = http.createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (more: string) => (body += more));
  request.on('end', () => {
    requests.push({ headers: request.headers, body });
    response.writeHead(answer, { location: '/elsewhere' }).end();
  });
});
let hook: string;
let credentials: Record<string, JsonObject> = {};
const dispatcher = new Agent();
const services: ChannelServices = {
  credential: (name) =>
    credentials[name] ? Promise.resolve(credentials[name]) : Promise.reject(new Error(`no ${name}`)),
  dispatcher: () => dispatcher,
  now: () => 1_764_000_000_500,
};
const send = (channel: Channel, target: NotificationTarget): Promise<void> =>
  channel({ id: 'msg_1', target, message, starts: null });

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?key=query`;
});
afterAll(async () => {
  await dispatcher.close();
  server.close();
});
beforeEach(() => {
  answer = 200;
  requests.length = 0;
});

describe('a webhook', () => {
  const deliver = (): Promise<void> => send(webhookChannel(services), { webhook: hook, secret: 'hook' });

  test('is signed as the reference library of Standard Webhooks signs', () => {
    const key = Buffer.alloc(32, 7);
    // Computed with standardwebhooks 1.0.1 of PyPI.
    expect(signature(key, { id: 'msg_1', timestamp: 1_764_000_000, body: '{"a":1}' })).toBe(
      'v1,XPe0qx4VakKTyfeM3FVzxkWhlCm7A3zUplqcjmEL+sk=',
    );
  });

  test('has id, time and signature in its headers, and the message as its body', async () => {
    credentials = { hook: { secret: SECRET } };
    await deliver();
    const [{ headers, body } = { headers: {}, body: '' }] = requests;
    expect(JSON.parse(body)).toEqual(message);
    const signed = { id: 'msg_1', timestamp: 1_764_000_000, body };
    expect(headers).toMatchObject({
      'webhook-id': 'msg_1',
      'webhook-timestamp': '1764000000',
      'webhook-signature': signature(Buffer.alloc(32, 7), signed),
    });
  });

  test.each([
    [500, true],
    [404, true],
    [302, true],
    [410, false],
  ])('that answers %s has not taken it; another attempt may help: %s', async (status, retryable) => {
    credentials = { hook: { secret: SECRET } };
    answer = status;
    const refused = deliver();
    await expect(refused).rejects.toMatchObject({ code: 'NOTIFICATION_REFUSED', retryable });
    await expect(refused).rejects.not.toThrow(/query/);
    expect(requests).toHaveLength(1);
  });

  test.each<JsonObject>([{}, { secret: '' }, { secret: 'whsec_short' }])(
    'without a proper key sends nothing: %j',
    async (credential) => {
      credentials = { hook: credential };
      await expect(deliver()).rejects.toMatchObject({ code: 'NOTIFICATION_CREDENTIAL', retryable: true });
      expect(requests).toHaveLength(0);
    },
  );
});

describe('a chat', () => {
  test('gets text in which an error message can neither mention anybody nor leave its line', async () => {
    credentials = { ops: { url: hook } };
    await send(chatChannel(services), { chat: 'ops' });
    const { text } = JSON.parse(requests[0]!.body) as { text: string };
    expect(text.split('\n')).toEqual([
      '*etl/load failed (7)*',
      '> Step: store',
      '> Error: SQLSTATE_42P01: no table &lt;!channel&gt; "x" &amp; y &gt; @\u200ball',
      '> Ended: 2026-01-02 03:04:05 UTC after 3.5 s',
    ]);
  });

  test('that fails is named by its credential: its address is a secret', async () => {
    credentials = { ops: { url: hook } };
    answer = 403;
    const refused = send(chatChannel(services), { chat: 'ops' });
    await expect(refused).rejects.toThrow('the chat of credential ops answered 403');
  });
});

describe('an e-mail', () => {
  const target: NotificationTarget = { email: ['a@example.com', 'b@example.com'], smtp: 'mail' };

  async function withServer(
    options: SMTPServerOptions,
    work: (port: number, mails: { to: string[]; text: string }[]) => Promise<void>,
  ): Promise<void> {
    const mails: { to: string[]; text: string }[] = [];
    const smtp = new SMTPServer({
      onData(stream, session, done) {
        let text = '';
        stream.on('data', (more: Buffer) => (text += more.toString()));
        stream.on('end', () => {
          mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text });
          done();
        });
      },
      ...options,
    });
    await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
    try {
      await work((smtp.server.address() as AddressInfo).port, mails);
    } finally {
      await new Promise<void>((resolve) => smtp.close(resolve));
    }
  }

  test('goes to all recipients, with the same id at every attempt', () =>
    withServer({ authOptional: true, hideSTARTTLS: true }, async (port, mails) => {
      credentials = { mail: { host: '127.0.0.1', port, secure: 'none', from: 'noetl@example.com' } };
      await send(emailChannel(services), target);
      expect(mails[0]!.to).toEqual(['a@example.com', 'b@example.com']);
      expect(mails[0]!.text).toContain('Subject: etl/load failed (7)');
      expect(mails[0]!.text).toContain('Message-ID: <msg_1@example.com>');
      expect(mails[0]!.text).toContain('Error: SQLSTATE_42P01');
    }));

  test('is not sent where the server offers no encryption, unless told so', () =>
    withServer({ authOptional: true, hideSTARTTLS: true }, async (port, mails) => {
      credentials = { mail: { host: '127.0.0.1', port, from: 'noetl@example.com' } };
      await expect(send(emailChannel(services), target)).rejects.toMatchObject({ retryable: true });
      expect(mails).toHaveLength(0);
    }));

  test('that is refused says code and stage, and not what the server quotes', () => {
    const onAuth: SMTPServerOptions['onAuth'] = (_auth, _session, done) =>
      done(Object.assign(new Error('wrong pa55word of noetl'), { responseCode: 535 }));
    return withServer({ onAuth, hideSTARTTLS: true, allowInsecureAuth: true }, async (port) => {
      const login = { user: 'noetl', password: 'pa55word' };
      credentials = { mail: { host: '127.0.0.1', port, secure: 'none', from: 'n@example.com', ...login } };
      const refused = send(emailChannel(services), target);
      await expect(refused).rejects.toThrow('credential mail refused the message: EAUTH 535');
      await expect(refused).rejects.not.toThrow(/pa55word/);
    });
  });

  test('some of whose recipients are refused is not sent to the others again', () => {
    const onRcptTo: SMTPServerOptions['onRcptTo'] = ({ address }, _session, done) =>
      done(address.startsWith('b') ? new Error('unknown') : null);
    return withServer({ onRcptTo, authOptional: true, hideSTARTTLS: true }, async (port, mails) => {
      credentials = { mail: { host: '127.0.0.1', port, secure: 'none', from: 'n@example.com' } };
      await expect(send(emailChannel(services), target)).rejects.toMatchObject({ retryable: false });
      expect(mails.map(({ to }) => to)).toEqual([['a@example.com']]);
    });
  });

  test.each([
    [{ host: 'mail.example.com' }, /no from/],
    [{ from: 'n@example.com' }, /no host/],
    [{ host: 'h', from: 'n@e.com', secure: 'maybe' }, /secure of the credential mail is one of/],
    [{ host: 'h', from: 'n@e.com', secure: 'none', user: 'u' }, /password unencrypted/],
  ])('with the credential %j is not attempted', async (credential, why) => {
    credentials = { mail: credential };
    await expect(send(emailChannel(services), target)).rejects.toThrow(why);
  });
});
