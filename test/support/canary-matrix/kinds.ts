/**
 * Tools with a secret in them, for each ending that a task may have: how a kind carries a secret as its data, and places
 * that only this kind has. What a tool is told it tells, in its result, its error or its output: a leak if nobody minds.
 */

/** Stands beside secrets wherever they are used: what does not find it would not find a leak. Fit for a name of a step. */
export const PLANTED = 'planted_where_a_leak_would_be';

export const ENDINGS = ['success', 'failure', 'timeout', 'crash', 'retry'] as const;
export type Ending = (typeof ENDINGS)[number];

export type Tool = Readonly<Record<string, unknown>>;
/** Undefined where the kind cannot end so; `cannot` says why. */
type Make = (ending: Ending, at: string) => Tool | undefined;

export interface Kind {
  /** A tool with the secret, an expression in braces, where the kind's data goes. Absent: the kind takes no data. */
  readonly carry?: (secret: string, ending: Ending, at: string) => Tool | undefined;
  /** Places of this kind alone. */
  readonly own: Readonly<Record<string, Make>>;
  /** Endings that it has not, and places: why. */
  readonly cannot?: Readonly<Partial<Record<Ending | 'data' | 'local loop' | 'sink', string>>>;
}

/** Where the secret is from, unless the place is about that. */
export const SECRET = '{{ keychain.app.secret }}';
/** For headers, which take ASCII only. */
const HEADER = '{{ keychain.app.secret | urlencode }}';

/** Seconds: longer than any of these takes, and short for what never ends. */
const LIMIT_S = 3;
/** Seconds after which what should end hangs, also on a machine with much else to do. */
const HUNG_S = 120;
const limit = (ending: Ending): Tool => ({ timeout: ending === 'timeout' ? LIMIT_S : HUNG_S });

/** The server answers by the first word of the path, and is told the place by the rest. */
const http = (ending: Ending, at: string, more: Tool = {}): Tool => ({
  kind: 'http',
  url: `{{ workload.url }}/${ending}/${at}`,
  method: 'POST',
  ...limit(ending),
  ...more,
});

const PYTHON: Readonly<Record<Ending, string>> = {
  success: [
    'import base64, html, quopri, shlex, urllib.parse',
    's = str(t)',
    'q = urllib.parse.quote',
    'print(t, repr([s]), ascii(s), s.encode())',
    "written = [html.escape(s), quopri.encodestring(s.encode()).decode(), shlex.quote(s), q(q(s)), s.encode().hex(':')]",
    "written += [s.upper(), base64.encodebytes(s.encode()).decode(), '\\r\\n'.join('  ' + one for one in s.split('\\n'))]",
    "result = {'echo': t, 'b': base64.b64encode(repr(t).encode()).decode(), 'written': written}",
  ].join('\n'),
  failure: 'import sys\nprint(t, file=sys.stderr)\nraise KeyError(str(t) + repr([t]))',
  timeout: 'import time\nprint(t, flush=True)\ntime.sleep(120)',
  crash: "import os, time\nwhile not os.path.exists(go): time.sleep(0.1)\nresult = {'echo': t}",
  retry: "raise ValueError('no good: ' + str(t))",
};
const python = (secret: string, ending: Ending, code = PYTHON[ending]): Tool => ({
  kind: 'python',
  input: { t: secret, go: '{{ workload.go }}' },
  code,
  ...limit(ending),
});

const SHELL: Readonly<Record<Ending, string>> = {
  success:
    '( set -x; : "$T" ) 2>&1; bash -c \'printf "%q" "$T"\'; printf %s "$T" | base64; printf %s "$T" | od -An -tx1',
  failure: 'echo "$T"; echo "$T" >&2; exit 3',
  timeout: 'echo "$T"; sleep 120',
  crash: 'echo "$T"; while [ ! -e "$GO" ]; do sleep 0.1; done',
  retry: 'echo "$T" >&2; exit 3',
};
const inShell = (kind: 'shell' | 'script', ending: Ending, more: Tool, before = ''): Tool => ({
  kind,
  [kind === 'shell' ? 'cmds' : 'code']: `: ${PLANTED}; ${before}${SHELL[ending]}`,
  ...limit(ending),
  ...more,
});
const envOf = (secret: string): Tool => ({ T: secret, GO: '{{ workload.go }}' });

const POSTGRES: Readonly<Record<Ending, string>> = {
  success: "select $1::text as v, encode(convert_to($1::text, 'UTF8'), 'hex') as x, $2::text as go",
  failure: 'select $1::text::int as v, $2::text as go',
  timeout: 'select pg_sleep(120), $1::text as v, $2::text as go',
  crash: 'select pg_sleep(case when pg_stat_file($2, true) is null then 120 else 0 end)::text, $1::text as v',
  retry: 'select $1::text::int as v, $2::text as go',
};
const postgres = (secret: string, ending: Ending, auth = 'db'): Tool => ({
  kind: 'postgres',
  auth,
  command: POSTGRES[ending],
  params: [secret, '{{ workload.go }}'],
  ...limit(ending),
});

/** Takes hours, unless the file is there. */
const LONG =
  'from (select 1 where (select count(*) from glob($2)) = 0) o, range(1000000) a, range(1000000) b where hash(a.range + b.range) = 1';
const DUCKDB: Readonly<Record<Ending, string>> = {
  success: 'select $1 as v, base64(encode($1::varchar)) as b, $2 as go',
  failure: 'select cast($1 as integer) as v, $2 as go',
  timeout: `set threads = 1; select $1 as v, count(*) as n ${LONG}`,
  crash: `set threads = 1; select $1 as v, count(*) as n ${LONG}`,
  retry: 'select cast($1 as integer) as v, $2 as go',
};

const ROWS = { t: SECRET, n: 1 };
const rowsOf = (ending: Ending, fields: Tool): Tool | undefined =>
  ending === 'timeout' || ending === 'crash'
    ? undefined
    : { ...fields, table: ending === 'success' ? 'kept' : 'nowhere', data: [ROWS] };

/** A server behind a gate: open, shut for good, or shut until the worker was lost. */
const gate = (name: string, ending: Ending): string =>
  `${name}_${ending === 'timeout' || ending === 'crash' ? ending : 'open'}`;

const SNOWFLAKE: Readonly<Partial<Record<Ending, string>>> = {
  failure: "select cast(? || 'x' as integer) as v",
  retry: "select cast(? || 'x' as integer) as v",
};
const container = (ending: Ending, more: Tool): Tool => ({
  kind: 'container',
  image: 'canary:1',
  ...limit(ending),
  ...more,
  env: { ENDING: ending, ...((more['env'] as Tool | undefined) ?? {}) },
});
const transfer = (ending: Ending, source: Tool, target: Tool = {}): Tool => ({
  kind: 'transfer',
  source: { kind: 'http', method: 'GET', data_path: 'rows', ...source },
  target: { kind: 'http', url: '{{ workload.url }}/success/transfer/target', ...target },
  ...limit(ending),
});
const from = (ending: Ending, at: string): string => `{{ workload.url }}/${ending}/${at}`;

export const KINDS: Readonly<Record<string, Kind>> = {
  http: {
    carry: (secret, ending, at) => http(ending, at, { json: { deep: [secret] } }),
    own: {
      'auth: bearer': (ending, at) => http(ending, at, { auth: 'bearer' }),
      'auth: basic': (ending, at) => http(ending, at, { auth: 'basic' }),
      'auth: API key, header': (ending, at) => http(ending, at, { auth: 'keyed' }),
      'auth: API key, query': (ending, at) => http(ending, at, { auth: 'asked' }),
      'auth: entry of the keychain': (ending, at) => http(ending, at, { auth: 'token' }),
      header: (ending, at) => http(ending, at, { headers: { 'x-secret': HEADER } }),
      query: (ending, at) => http(ending, at, { params: { k: SECRET } }),
      address: (ending, at) => ({ ...http(ending, at), url: `${from(ending, at)}?k=${HEADER}` }),
      form: (ending, at) => http(ending, at, { form: { k: SECRET } }),
    },
  },
  python: {
    carry: (secret, ending) => python(secret, ending),
    own: {
      'input, its process dies': (ending) =>
        ending === 'failure'
          ? python(SECRET, ending, 'import os, sys\nsys.stderr.write(t)\nsys.stderr.flush()\nos._exit(7)')
          : undefined,
    },
  },
  shell: {
    carry: (secret, ending) => inShell('shell', ending, { env: envOf(secret) }),
    own: {
      input: (ending) =>
        inShell(
          'shell',
          ending,
          { input: { word: SECRET }, env: { GO: '{{ workload.go }}' } },
          'T="$NOETL_INPUT_WORD"; ',
        ),
    },
  },
  script: {
    carry: (secret, ending) => inShell('script', ending, { env: envOf(secret) }),
    own: {
      argument: (ending) =>
        inShell('script', ending, { args: [SECRET], env: { GO: '{{ workload.go }}' } }, 'T="$1"; '),
    },
  },
  postgres: {
    carry: (secret, ending) => postgres(secret, ending),
    own: {
      'auth: password': (ending) =>
        postgres('word', ending, ending === 'failure' || ending === 'retry' ? 'db_refused' : 'db_secret'),
      rows: (ending) => rowsOf(ending, { kind: 'postgres', auth: 'db' }),
    },
  },
  duckdb: {
    carry: (secret, ending) => ({
      kind: 'duckdb',
      command: DUCKDB[ending],
      // Not the file that is there by the time: this one never is.
      params: [secret, ending === 'timeout' ? '{{ workload.go }}.never' : '{{ workload.go }}'],
      ...limit(ending),
    }),
    own: {
      'auth: attached Postgres': (ending) =>
        ending === 'timeout' || ending === 'crash'
          ? undefined
          : {
              kind: 'duckdb',
              auth: { pg: ending === 'success' ? 'db_secret' : 'db_refused' },
              commands: ["attach '' as pg (type postgres, secret pg)", 'select 1 as v from duckdb_secrets()'],
            },
    },
  },
  snowflake: {
    carry: (secret, ending) => ({
      kind: 'snowflake',
      auth: gate('warehouse', ending),
      command: SNOWFLAKE[ending] ?? 'select ? as v',
      params: [secret],
      ...limit(ending),
    }),
    own: {
      'auth: password': (ending) => ({
        kind: 'snowflake',
        auth: ending === 'failure' || ending === 'retry' ? 'warehouse_refused' : gate('warehouse', ending),
        command: 'select 1 as v',
        ...limit(ending),
      }),
    },
  },
  nats: {
    carry: (secret, ending, at) => ({
      kind: 'nats',
      auth: gate('bus', ending),
      operation: 'kv_put',
      bucket: 'canary',
      key: at.replaceAll('/', '.'),
      value: { deep: [secret] },
      ...(ending === 'failure' || ending === 'retry' ? { revision: 99 } : {}),
      ...limit(ending),
    }),
    own: {
      'auth: password': (ending) => ({
        kind: 'nats',
        auth: ending === 'failure' || ending === 'retry' ? 'bus_refused' : gate('bus', ending),
        operation: 'kv_put',
        bucket: 'canary',
        key: 'word',
        value: 'word',
        ...limit(ending),
      }),
    },
  },
  gcs: {
    carry: (secret, ending, at) => ({
      kind: 'gcs',
      auth: ending === 'failure' || ending === 'retry' ? 'bucket_refused' : gate('bucket', ending),
      destination: `gs://canary/${at}`,
      data: { deep: [secret] },
      ...limit(ending),
    }),
    own: {
      metadata: (ending, at) => ({
        kind: 'gcs',
        auth: ending === 'failure' || ending === 'retry' ? 'bucket_refused' : gate('bucket', ending),
        destination: `gs://canary/${at}`,
        data: 'word',
        metadata: { owner: SECRET },
        ...limit(ending),
      }),
      'auth: private key': (ending, at) =>
        ending === 'failure' || ending === 'retry'
          ? { kind: 'gcs', auth: 'bucket_account', destination: `gs://canary/${at}`, data: 'word' }
          : undefined,
    },
  },
  container: {
    carry: (secret, ending) => container(ending, { env: { T: secret } }),
    own: {
      argument: (ending) => container(ending, { args: ['--token', SECRET] }),
      input: (ending) => container(ending, { input: { word: SECRET } }),
      'auth: registry': (ending) => container(ending, { pull: 'always', auth: 'registry' }),
    },
  },
  transfer: {
    carry: (secret, ending, at) => transfer(ending, { url: from(ending, at), params: { k: secret } }),
    own: {
      'source: auth': (ending, at) => transfer(ending, { url: from(ending, at), auth: 'bearer' }),
      'target: auth': (ending, at) =>
        transfer(ending, { url: from('success', `${at}/source`) }, { url: from(ending, at), auth: 'basic' }),
      'target: header': (ending, at) =>
        transfer(
          ending,
          { url: from('success', `${at}/source`) },
          { url: from(ending, at), headers: { 'x-secret': HEADER } },
        ),
    },
  },
  secrets: {
    own: {
      'what is looked up': (ending) =>
        ending === 'success'
          ? { kind: 'secrets', provider: 'credential', secret: 'blob', field: 'secret' }
          : ending === 'failure' || ending === 'retry'
            ? { kind: 'secrets', provider: 'credential', secret: 'blob', field: 'nowhere' }
            : undefined,
      'auth: of the provider': (ending) => ({
        kind: 'secrets',
        provider: 'vault',
        secret: 'app',
        field: 'value',
        auth: `vault_${ending}`,
        ...limit(ending),
      }),
    },
    cannot: { data: 'it accepts names, not data' },
  },
  playbook: {
    carry: (secret, ending, at) => ({
      kind: 'playbook',
      path: `canary/child_${ending}`,
      input: { url: '{{ workload.url }}', at, key: secret },
      ...(ending === 'timeout' ? { timeout: LIMIT_S } : {}),
    }),
    own: {},
    cannot: { 'local loop': 'refused by the compiler: a child workflow cannot run inside an activity' },
  },
  artifact: {
    own: {
      'stored value': (ending) =>
        ending === 'failure' || ending === 'retry'
          ? { kind: 'artifact', action: 'put', data: { deep: [SECRET] } }
          : undefined,
    },
    cannot: {
      data: 'refused: it would be stored in plaintext (SECRET_REFUSED)',
      success: 'refused: it would be stored in plaintext (SECRET_REFUSED)',
      timeout: 'refused before anything is stored',
      crash: 'refused before anything is stored',
    },
  },
};
