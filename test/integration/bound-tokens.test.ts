/** Every route of workers with every binding of a token: who gets what stands here, once. */
import { randomBytes } from 'node:crypto';
import { type Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import openApi from '../../docs/reference/openapi.json';
import { configuredKeyRing } from '../../src/storage/keyring';
import { type TokenLimits } from '../../src/server/store';
import { AuthCache, Credentials } from '../../src/server/store';
import { bearer, useTokenFacades } from '../support/token-facade';

const { PENDING_ACTIVITY_STATE_STARTED } = temporal.api.enums.v1.PendingActivityState;
const PLAYBOOKS: Readonly<Record<string, string>> = { 'noetl-7': 'team/mine', 'noetl-8': 'steam/other' };
/** A Temporal in which two executions run, and one task. */
const client = {
  options: { namespace: 'default' },
  withDeadline: () => Promise.reject(new Error('there are no schedules')),
  workflow: {
    getHandle: (id: string) => ({
      describe: () =>
        Promise.resolve({
          typedSearchAttributes: { get: () => PLAYBOOKS[id] },
          raw: { pendingActivities: [{ activityId: 'task', state: PENDING_ACTIVITY_STATE_STARTED }] },
        }),
    }),
  },
} as unknown as Client;

const BINDINGS = {
  none: {},
  credentials: { credentials: ['mine*'] },
  kinds: { kinds: ['http'] },
  pools: { pools: ['eu'] },
  paths: { paths: ['team/*'] },
  granted: { granted: true },
  all: { credentials: ['mine*'], kinds: ['http'], pools: ['eu'], paths: ['team/*'], granted: true },
} as const satisfies Record<string, TokenLimits>;
type Binding = keyof typeof BINDINGS;

/** What each binding says to a request for what is not the token's own, by the route; `ok`: it does not concern it. */
type Answers = Readonly<Record<Binding, string>>;
const SECRETS: Answers = {
  none: 'ok',
  credentials: 'CREDENTIAL_REFUSED',
  kinds: 'CREDENTIAL_REFUSED',
  pools: 'GRANT_REFUSED',
  paths: 'CREDENTIAL_REFUSED',
  granted: 'GRANT_REFUSED',
  all: 'CREDENTIAL_REFUSED',
};
/** Tokens of keychain entries have no type of a kind. */
const CACHED: Answers = { ...SECRETS, kinds: 'ok' };
const PLANS: Answers = {
  none: 'ok',
  credentials: 'ok',
  kinds: 'ok',
  pools: 'ok',
  paths: 'PATH_REFUSED',
  granted: 'ok',
  all: 'PATH_REFUSED',
};
const NOTHING: Answers = { ...PLANS, paths: 'ok', all: 'ok' };

interface Asked {
  readonly path: string;
  readonly body?: object;
}
interface Row {
  readonly others: Answers;
  /** The request for what is its own (`mine`, execution 7), or another's (`other`, execution 8). */
  ask(whose: 'mine' | 'other'): Asked;
}
const idOf = (whose: string): string => (whose === 'mine' ? '7' : '8');
const TABLE: Readonly<Record<string, Row>> = {
  'POST /api/catalog/plan': {
    others: PLANS,
    ask: (whose) => ({ path: '/api/catalog/plan', body: { path: PLAYBOOKS[`noetl-${idOf(whose)}`] } }),
  },
  'GET /api/credentials/{id}': {
    others: SECRETS,
    ask: (whose) => ({ path: `/api/credentials/${whose}?include_data=true&execution_id=${idOf(whose)}` }),
  },
  'GET /api/auth_cache/{key}': { others: CACHED, ask: (whose) => ({ path: `/api/auth_cache/key-${whose}` }) },
  'PUT /api/auth_cache/{key}': {
    others: CACHED,
    ask: (whose) => ({ path: `/api/auth_cache/key-${whose}`, body: cached(whose) }),
  },
  'DELETE /api/auth_cache/{key}': {
    others: CACHED,
    ask: (whose) => ({ path: `/api/auth_cache/key-${whose}` }),
  },
  ...Object.fromEntries(
    ['POST register', 'POST heartbeat', 'POST deregister', 'DELETE deregister'].map((route) => {
      const [method, what] = route.split(' ');
      const path = `/api/worker/pool/${what}`;
      return [`${method} ${path}`, { others: NOTHING, ask: () => ({ path, body: {} }) }];
    }),
  ),
};

function cached(whose: string): object {
  return {
    credential_name: whose,
    credential_type: 'oauth2',
    execution_id: idOf(whose),
    data: { token: `of ${whose}` },
    expires_at: new Date(Date.now() + 600_000).toISOString(),
  };
}

const its = useTokenFacades();
const keys = configuredKeyRing({ NOETL_SECRETS_KEY: randomBytes(32).toString('base64') });
const grant = keys
  .seal(
    JSON.stringify({
      workflow: 'noetl-7',
      task: 'task',
      kind: 'http',
      pool: 'eu',
      opens: { 7: ['mine'] },
      until: Date.now() + 600_000,
    }),
    'grant',
  )
  .toString('base64url');
let url: string;
const tokens = new Map<string, string>();

beforeAll(async () => {
  url = await its.start({}, true, { keys, client });
  const store = new Credentials(its.database, keys);
  const data = { token: 'value' };
  await store.put({ name: 'mine', type: 'bearer', data }, { principal: 'test' });
  const login = { db_host: 'h', db_user: 'u', db_password: 'p', db_name: 'd' };
  await store.put({ name: 'other', type: 'postgres', data: login }, { principal: 'test' });
  for (const [name, limits] of Object.entries(BINDINGS))
    tokens.set(name, (await its.tokens.create({ name, scopes: ['worker'], limits }))[0]);
  const [admin] = await its.tokens.create({ name: 'author', scopes: ['run'] });
  for (const path of Object.values(PLAYBOOKS))
    await send(
      'POST',
      {
        path: '/api/catalog/register',
        body: {
          content: `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: x, path: ${path}}\nworkflow: [{step: start, tool: {kind: noop}}]\n`,
        },
      },
      admin,
    );
});

async function send(method: string, { path, body }: Asked, token?: string): Promise<string> {
  const headers = {
    ...(token !== undefined && bearer(token)),
    'content-type': 'application/json',
    'x-noetl-grant': grant,
  };
  const answer = await fetch(`${url}${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  return answer.ok ? 'ok' : ((await answer.json()) as { code: string }).code;
}

/** So that there is something to get, replace and delete. */
async function fillCache(): Promise<void> {
  const cache = new AuthCache(its.database, keys);
  for (const whose of ['mine', 'other'])
    await cache.put({
      ...(cached(whose) as { credential_name: string; credential_type: string; execution_id: string }),
      cache_key: `key-${whose}`,
      cache_type: 'token',
      data: { token: whose },
      expires_at: new Date(Date.now() + 600_000),
    });
}

const forged = (token: string): string => token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A');

test('the table has every route of workers, as the OpenAPI document says', () => {
  const declared = Object.entries(openApi.paths).flatMap(([path, operations]) =>
    Object.entries(operations as Record<string, { security?: { bearer?: string[] }[] }>).flatMap(
      ([method, { security }]) =>
        security?.some(({ bearer: scopes }) => scopes?.includes('worker'))
          ? [`${method.toUpperCase()} ${path}`]
          : [],
    ),
  );
  // The data of a credential is a matter of its query.
  expect([...declared, 'GET /api/credentials/{id}'].sort()).toEqual(Object.keys(TABLE).sort());
});

describe.each(Object.entries(TABLE))('%s', (route, { ask, others }) => {
  const method = route.split(' ')[0]!;

  test.each(Object.keys(BINDINGS) as Binding[])('bound by: %s', async (binding) => {
    for (const [whose, expected] of [
      ['mine', 'ok'],
      ['other', others[binding]],
    ] as const) {
      await fillCache();
      expect([whose, await send(method, ask(whose), tokens.get(binding))]).toEqual([whose, expected]);
    }
  });

  test('without a token, and with one that is wrong, expired, revoked, or of another scope', async () => {
    const [expired] = await its.tokens.create({
      name: `expired ${route}`,
      scopes: ['worker'],
      expiresInMs: -1,
    });
    const [revoked, { id }] = await its.tokens.create({ name: `revoked ${route}`, scopes: ['worker'] });
    await its.tokens.revoke(id);
    const [run] = await its.tokens.create({ name: `run ${route}`, scopes: ['run'] });
    for (const [token, code] of [
      [undefined, 'TOKEN_MISSING'],
      ['noetl_nobody', 'TOKEN_UNKNOWN'],
      [forged(tokens.get('none')!), 'TOKEN_UNKNOWN'],
      [expired, 'TOKEN_EXPIRED'],
      [revoked, 'TOKEN_REVOKED'],
      [run, 'SCOPE_MISSING'],
    ] as const)
      expect([code, await send(method, ask('mine'), token)]).toEqual([code, code]);
  });
});
