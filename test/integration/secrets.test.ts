/** Secrets of real providers, and a canary that runs through a playbook and must be found nowhere. */
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import {
  CreateSecretCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { runTool } from '../../activities/framework/activity/activity';
import { type Credential } from '../../activities/framework/credentials';
import { secrets as tool } from '../../activities/kinds/secrets/run';
import { shell } from '../../activities/kinds/shell/run';
import { type JsonObject, type Secrets } from '../../src/language/plan';
import { startSecretManager } from '../support/fake-secret-manager';
import { type Absent, present } from '../support/present';
import { startEmulator } from '../support/python-servers';
import { type Stack, startStack } from '../support/stack';
import { call, context, run } from '../support/tool-call';
import { ROOT_TOKEN, startVault } from '../support/vault';

const VALUE = 'canary-51c9-of-the-secret';
const FIRST = 'canary-51c9-its-first-version';
type Kept = Record<string, Omit<Credential, 'name'>>;

/** A provider that holds `db` = {user, password: VALUE} as its newest version, and FIRST as the password of the first. */
interface Place {
  readonly credentials: Kept;
  /** Fields of a task that finds it. */
  readonly fields: JsonObject;
  /** Those of the first version, and what the provider calls the newest. */
  readonly first: JsonObject;
  readonly version: RegExp;
  /** Credentials that it refuses, with their `error.kind`. */
  readonly refused?: Kept;
  stop(): unknown;
}

const PLACES: Record<string, () => Promise<Place | Absent>> = {
  async aws() {
    const moto = await startEmulator('s3');
    if ('skipped' in moto) return moto;
    const data = { access_key_id: 'a', secret_access_key: 'b', region: 'us-east-1', endpoint: moto.url };
    const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
    const client = new SecretsManagerClient({ endpoint: moto.url, region: 'us-east-1', credentials });
    const text = (password: string): string => JSON.stringify({ user: 'u', password });
    await client.send(new CreateSecretCommand({ Name: 'db', SecretString: text(FIRST) }));
    await client.send(new PutSecretValueCommand({ SecretId: 'db', SecretString: text(VALUE) }));
    client.destroy();
    return {
      credentials: { store: { data }, away: { data: { ...data, endpoint: 'http://127.0.0.1:1' } } },
      fields: { provider: 'aws', secret: 'db', auth: 'store' },
      first: { version: 'AWSPREVIOUS' },
      version: /^[0-9a-f-]{36}$/,
      stop: () => moto.stop(),
    };
  },
  async vault() {
    const vault = await startVault();
    if ('skipped' in vault) return vault;
    await vault.ask('POST', 'secret/data/app/db', { data: { user: 'u', password: FIRST } });
    await vault.ask('POST', 'secret/data/app/db', { data: { user: 'u', password: VALUE } });
    await vault.ask('PUT', 'sys/policies/acl/app', {
      policy: 'path "secret/data/app/*" { capabilities = ["read"] }',
    });
    await vault.ask('POST', 'sys/auth/approle', { type: 'approle' });
    await vault.ask('POST', 'auth/approle/role/app', { token_policies: 'app' });
    const role = (await vault.ask('GET', 'auth/approle/role/app/role-id'))['data'] as { role_id: string };
    const key = (await vault.ask('POST', 'auth/approle/role/app/secret-id'))['data'] as { secret_id: string };
    const { address } = vault;
    return {
      credentials: {
        store: { data: { address, role_id: role.role_id, secret_id: key.secret_id } },
        root: { data: { address, token: ROOT_TOKEN } },
        away: { data: { address: 'http://127.0.0.1:1', token: 'x' } },
      },
      fields: { provider: 'vault', secret: 'app/db', auth: 'store' },
      first: { version: 1 },
      version: /^2$/,
      refused: {
        token: { data: { address, token: 'no-such-token' } },
        role: { data: { address, role_id: role.role_id, secret_id: 'wrong' } },
      },
      stop: () => vault.stop(),
    };
  },
  async google() {
    const name = 'projects/p/secrets/db/versions';
    const text = (password: string): string => JSON.stringify({ user: 'u', password });
    const found = await startSecretManager({ [`${name}/1`]: text(FIRST), [`${name}/latest`]: text(VALUE) });
    if ('skipped' in found) return found;
    const data = { endpoint: found.endpoint, project: 'p' };
    return {
      credentials: { store: { data }, away: { data: { ...data, endpoint: '127.0.0.1:1' } } },
      fields: { provider: 'google', secret: 'db', auth: 'store' },
      first: { version: '1' },
      version: /^2$/,
      stop: () => found.stop(),
    };
  },
};

describe.each(Object.keys(PLACES))('%s', (name) => {
  let place: Place;
  beforeAll(async () => {
    place = present(await PLACES[name]!());
  }, 300_000);
  afterAll(() => place?.stop());
  const there = (title: string, body: (place: Place) => Promise<void>): void => {
    test(title, () => body(place));
  };

  /** What a shell sees that is given the handle. */
  async function seen(
    { credentials }: Place,
    fields: JsonObject,
  ): Promise<{ text: string; result: JsonObject }> {
    const ctx = context(credentials);
    const outcome = await run(tool, fields, {}, ctx);
    expect(outcome.error).toBeNull();
    expect(JSON.stringify(outcome)).not.toContain('canary');
    const result = outcome.result as JsonObject;
    const secrets = outcome.meta['secrets'] as unknown as Secrets;
    const task = call('shell', { cmds: 'printf %s "$TOKEN"', env: { TOKEN: result['value']! } }, { secrets });
    const used = await runTool(shell, task, ctx);
    return { text: (used.result as { stdout: string }).stdout, result };
  }

  there('answers with handles, behind which the value is', async (at) => {
    const { text, result } = await seen(at, { ...at.fields, field: 'password' });
    expect(text).toBe(VALUE);
    expect(result['version']).toMatch(at.version);
    const whole = await seen(at, at.fields);
    expect(JSON.parse(whole.text)).toEqual({ user: 'u', password: VALUE });
    expect(Object.keys(whole.result['fields'] as JsonObject).sort()).toEqual(['password', 'user']);
  });

  there('finds an older version', async (at) => {
    expect((await seen(at, { ...at.fields, ...at.first, field: 'password' })).text).toBe(FIRST);
  });

  there('says what is not there, and who is not let in', async (at) => {
    const missing = await run(tool, { ...at.fields, secret: 'app/none' }, {}, context(at.credentials));
    expect(missing.error).toMatchObject({ kind: 'not_found', code: 'SECRET_NOT_FOUND', retryable: false });
    const away = await run(tool, { ...at.fields, auth: 'away' }, {}, context(at.credentials));
    expect(away.error).toMatchObject({ kind: 'connection', code: 'SECRET_UNREACHABLE', retryable: true });
    for (const auth of Object.keys(at.refused ?? {})) {
      const { error } = await run(tool, { ...at.fields, auth }, {}, context(at.refused));
      expect(error!.message).toMatch(/^secrets: vault could not provide 'app\/db': /);
      expect(['auth', 'server_error']).toContain(error!.kind);
      expect(error!.code).toMatch(/^SECRET_(DENIED|PROVIDER)$/);
    }
  });
});

describe('a canary through a run', () => {
  const PLANTED = 'planted-where-a-leak-would-be';
  let stack: Stack;
  let server: http.Server;
  let url: string;
  const heard: http.IncomingHttpHeaders[] = [];
  beforeAll(async () => {
    process.env['NOETL_SECRET_CANARY'] = VALUE;
    stack = await startStack({ kinds: ['secrets', 'http', 'python', 'shell'] });
    server = http.createServer((request, response) => {
      heard.push(request.headers);
      // What it is told it tells: a leak if nobody minds.
      response.setHeader('content-type', 'application/json').end(JSON.stringify(request.headers));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(async () => {
    delete process.env['NOETL_SECRET_CANARY'];
    server?.closeAllConnections();
    server?.close();
    await stack?.stop();
  });

  /** Everything a history holds, payloads decoded. */
  const contents = (history: object): string => {
    const text = JSON.stringify(history);
    const payloads = [...text.matchAll(/"data":"([A-Za-z0-9+/=]+)"/g)];
    return text + payloads.map(([, data]) => Buffer.from(data!, 'base64').toString('utf8')).join('\n');
  };

  test('reaches header, Python, environment and error, and stands in no history, state or event', async () => {
    const plan = stack.compile(`
apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: canary, path: test/canary}
workload: {url: "${url}", note: ${PLANTED}}
workflow:
- step: start
  tool: {kind: secrets, provider: environment, secret: canary, set: {ctx.header: "Bearer {{ output.value }}"}}
  next: {arcs: [{step: tell}]}
- step: tell
  tool:
    - name: ask
      kind: http
      url: "{{ workload.url }}"
      headers: {authorization: "{{ ctx.header }}", x-basic: "{{ ('me:' ~ start.value) | b64encode }}"}
    - name: code
      kind: python
      input: {token: "{{ start.value }}", note: "{{ workload.note }}"}
      code: |
        import base64
        print(token)
        result = {'token': token, 'base64': base64.b64encode(token.encode()).decode(), 'length': len(token), 'note': note}
    - name: fails
      kind: shell
      cmds: echo "$TOKEN" >&2; exit 3
      env: {TOKEN: "{{ start.value }}"}
      spec: {policy: {rules: [{else: {then: {do: continue}}}]}}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {length: "{{ code.length }}", result: "{{ tell.results }}"}}
`);
    const ended = await stack.run(plan);
    expect({ status: ended.status, failure: ended.failure }).toEqual({
      status: 'completed',
      failure: undefined,
    });
    // It arrived.
    expect(heard[0]).toMatchObject({
      authorization: `Bearer ${VALUE}`,
      'x-basic': Buffer.from(`me:${VALUE}`).toString('base64'),
    });
    expect(ended.state.results).toBeDefined();
    // And nothing that is kept holds it, in any of its forms. A search that finds nothing at all would prove nothing.
    const kept =
      contents(JSON.parse(historyToJSON(await ended.handle.fetchHistory())) as object) +
      JSON.stringify(ended.state);
    expect(kept).toContain(PLANTED);
    expect(kept).toContain('[redacted]');
    for (const form of [
      VALUE,
      Buffer.from(VALUE).toString('base64'),
      Buffer.from(`me:${VALUE}`).toString('base64'),
    ])
      expect(kept).not.toContain(form);
    expect(JSON.stringify(ended.result)).toContain(`"length":${VALUE.length}`);
  });

  test('a secret that is not there fails the step that looks it up', async () => {
    const plan = stack.compile(`
apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: missing, path: test/missing}
workflow:
- step: start
  tool: {kind: secrets, provider: environment, secret: no-such}
`);
    const { status, failure } = await stack.run(plan);
    expect(status).toBe('failed');
    expect(failure!.error).toMatchObject({ code: 'SECRET_NOT_FOUND', step: 'start' });
  });
});
