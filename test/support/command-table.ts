/** Every command, as it is called once for what it is for, in an order in which each finds what it needs. */
import fs from 'node:fs';
import path from 'node:path';
import { type Finished, ROOT } from './process';
import { until } from './until';

const HELLO = path.join(ROOT, 'playbooks/hello_world.yaml');
const HISTORY = path.join(ROOT, 'test/histories/0.1.0/hello_world.json');

export interface Action {
  readonly args: (at: readonly string[]) => readonly string[];
  /** What it prints, on either stream. */
  readonly says: RegExp;
  readonly code?: number;
  readonly before?: () => Promise<void>;
  readonly keeps?: (printed: Pick<Finished, 'stdout'>) => void;
}

interface Place {
  readonly folder: string;
  /** Of the facade, once it is there. */
  server(): string;
  /** What the commands make is called after it. */
  readonly name: string;
}

const waitsYaml = (name: string, n = 1): string => `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: waits, path: ${name}/waits}
workload: {n: ${n}}
workflow:
- step: start
  tool: {kind: wait, event: go}
  set: {ctx.seen: 1}
`;
const queueYaml = (name: string): string => `kind: Subscription
metadata: {path: ${name}/queue}
spec: {source: postgres, auth: pg_local, table: nothing, dispatch: {playbook: ${name}/waits, workload: {n: "{{ message.body.n }}"}}}
`;

/** The first in a document. */
const executionIn = (text: string): string | undefined => /"execution_id": "(\d+)"/.exec(text)?.[1];
const does = (says: RegExp, ...args: string[]): Action => ({ says, args: () => args });

/** In this order. */
export function commandTable({ folder, server, name }: Place): Readonly<Record<string, Action>> {
  const WAITS_PATH = `${name}/waits`;
  const QUEUE_PATH = `${name}/queue`;
  const schedule = `${name}-nightly`;
  const file = (named: string, content: string): string => {
    const where = path.join(folder, `${name}-${named}`);
    if (content !== '') fs.writeFileSync(where, content);
    return where;
  };
  const waits = file('waits.yaml', waitsYaml(name));
  const queue = file('queue.yaml', queueYaml(name));
  const targets = file('targets.yaml', 'targets: {team: {chat: c}}\n');
  const secret = file('secret.json', '{"token": "t"}');
  /** Executions and other things that a command made for later ones. */
  const made: { hello?: string; waits?: string; bulk?: string } = {};
  /** @param args after the server, once the test runs */
  const asks = (says: RegExp, args: () => readonly string[] = () => []): Action => ({
    says,
    args: () => ['--server', server(), ...args()],
  });
  const at = (what: keyof typeof made) => (): string[] => [made[what]!];

  const post = async <T>(route: string, body: object): Promise<T> => {
    const sent = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    return (await (await fetch(`${server()}${route}`, sent)).json()) as T;
  };
  /** @returns the execution, of the playbook that waits */
  const start = async (): Promise<string> =>
    (await post<{ execution_id: string }>('/api/execute', { path: WAITS_PATH })).execution_id;
  const waitingOne = async (): Promise<void> => {
    const id = await start();
    await until(async () => {
      const answer = await fetch(`${server()}/api/executions/${id}/waits`);
      return ((await answer.json()) as { waits: unknown[] }).waits.length > 0;
    });
    made.waits = id;
  };
  let staged = 1;
  const stage = async (): Promise<void> => {
    staged += 1;
    await post('/api/catalog/register', { content: waitsYaml(name, staged), staged: true });
  };

  return {
    init: does(/Next[^]*run playbooks\/hello\.yaml/, path.join(folder, `${name}-project`)),
    validate: does(/^✓ .*hello_world\.yaml/, HELLO),
    compile: does(/"planVersion"/, HELLO),
    test: does(/passed/, path.join(ROOT, 'playbooks/hello_world.rehearsal.yaml')),
    graph: does(/flowchart TD/, HELLO),
    render: does(/\{"value":2\}/, '{{ 1 + 1 }}'),
    upgrade: does(/nothing to rewrite/, HELLO),
    schema: does(/"\$schema"/),
    // An editor that ends without a goodbye.
    lsp: { ...does(/^$/), code: 1 },
    mcp: does(/tools for assistants/),
    check: does(/3 states, bound/, '--deep', HELLO),
    simulate: does(/no fault found/, HELLO, '--seeds', '3'),
    coverage: does(/3 of 3 steps/, HELLO),
    explain: does(/completed/, HISTORY),
    view: does(/41 events/, HISTORY, '--html', file('view.html', '')),
    diff: does(/They did the same/, HISTORY, HISTORY),
    replay: does(/this release follows the history/, HISTORY),
    whatif: {
      ...does(/call greet makes another request/, HISTORY, '--set', 'name=Ada'),
      code: 1,
    },
    verify: does(/1 +same/, HELLO, HELLO, HISTORY),
    events: does(/workflow/, HISTORY),
    doctor: does(/Node/),
    help: does(/Usage/),
    completion: does(/noetl-temporal/, 'bash'),

    'tokens create': does(
      /noetl_/,
      name,
      '--scopes',
      'worker',
      '--kinds',
      'http',
      '--pools',
      'eu',
      '--paths',
      'a/*',
    ),
    'tokens list': does(/smoke +worker; kinds http; pools eu; paths a\/\*/),
    'tokens revoke': does(/revoked/, name),
    'credentials add': does(
      /stored "smoke"/,
      name,
      '--type',
      'bearer',
      '--values',
      `@${secret}`,
      '--paths',
      'a/*',
    ),
    'credentials list': does(/smoke +bearer/),
    'credentials get': does(/"token": "t"/, name, '--show'),
    'credentials audit': does(/read +smoke/),
    'credentials rotate': does(/encrypted with the key/),
    'credentials test': asks(/"smoke" connects/, () => [name, '--url', `${server()}/api/health`]),
    'credentials remove': does(/removed "smoke"/, name),

    register: asks(/smoke\/waits/, () => [waits, queue]),
    run: {
      ...asks(/Hello, World!/, () => [HELLO]),
      keeps: ({ stdout }) => void (made.hello = executionIn(stdout)),
    },
    list: {
      ...asks(/hello_world/, () => ['executions', '--json']),
      keeps: ({ stdout }) => void (made.hello ??= executionIn(stdout)),
    },
    now: { ...asks(/runs +.*completed/), code: 0 },
    status: { ...asks(/waits for event go/, at('waits')), before: waitingOne },
    logs: asks(/Hello, World!/, at('hello')),
    'vars set': asks(/set x/, () => [made.waits!, 'x=1']),
    'vars list': asks(/x = 1/, at('waits')),
    'vars delete': asks(/deleted x/, () => [made.waits!, 'x']),
    pause: asks(/pausing/, at('waits')),
    resume: asks(/resuming/, at('waits')),
    answer: asks(/asks nothing of people/, at('waits')),
    event: asks(/was taken by a wait/, () => [made.waits!, 'go']),
    rerun: asks(/Hello, World!/, () => [made.hello!, '--from', 'greet']),
    cancel: {
      ...asks(/1 done/, () => ['--where', `path=${name}/waits`, '--yes']),
      before: async () => void (await start()),
    },
    'bulk list': {
      ...asks(/cancel/, () => ['--json']),
      keeps: ({ stdout }) => void (made.bulk = (/"bulk_id": "([^"]+)"/.exec(stdout) ?? [])[1]!),
    },
    'bulk show': asks(/cancel/, at('bulk')),
    'bulk cancel': { ...asks(/has ended \(completed\)/, at('bulk')), code: 2 },
    'bulk resume': { ...asks(/has ended \(completed\)/, at('bulk')), code: 2 },

    'schedule create': asks(/nightly/, () => [schedule, WAITS_PATH, '--cron', '0 0 1 1 *']),
    'schedule change': asks(/changed/, () => [schedule, '--cron', '0 0 2 1 *']),
    'schedule list': asks(/nightly/),
    'schedule describe': asks(/nightly/, () => [schedule]),
    'schedule pause': asks(/paused/, () => [schedule]),
    'schedule unpause': asks(/unpaused/, () => [schedule]),
    'schedule trigger': asks(/triggered/, () => [schedule]),
    'schedule backfill': asks(/backfills/, () => [
      schedule,
      '--from',
      '2026-01-01T00:00:00Z',
      '--to',
      '2026-01-02T00:00:00Z',
      '--yes',
    ]),
    'schedule delete': asks(/deleted/, () => [schedule]),

    'trigger test': asks(/"outcome": "started"/, () => [QUEUE_PATH, '--body', '{"n": 1}']),
    'trigger list': asks(/smoke\/queue +postgres +REGISTERED/),
    'trigger activate': asks(/is active/, () => [QUEUE_PATH]),
    'trigger pause': asks(/is paused/, () => [QUEUE_PATH]),
    'trigger resume': asks(/is active/, () => [QUEUE_PATH]),
    'trigger describe': asks(/last_event_type +subscription.resumed/, () => [QUEUE_PATH]),
    'trigger dead': asks(/no dead letters/, () => [QUEUE_PATH]),
    'trigger replay': asks(/started: 0/, () => [QUEUE_PATH, '--all']),
    'trigger drop': asks(/ids: 0/, () => [QUEUE_PATH, '--all']),
    'trigger drain': asks(/is draining/, () => [QUEUE_PATH]),
    'trigger deactivate': asks(/is deactivated/, () => [QUEUE_PATH]),

    'notifications list': asks(/no notifications/),
    'notifications targets': does(/chat: team/, '--notifications', targets),
    'notifications silence': asks(/is silenced until/, () => [`${name}-etl/*`, '--for', '2h']),
    'notifications silences': asks(/-etl\/\*/),
    'notifications retry': asks(/0 notifications/, () => ['--dead']),

    promote: { ...asks(/is the latest/, () => [WAITS_PATH, '--yes']), before: stage },
    unstage: { ...asks(/is no longer staged/, () => [WAITS_PATH]), before: stage },
    'cache list': asks(/nothing is cached/),
    'cache clear': asks(/cleared 0/),
    'storage gc': does(/would delete 0 values/, '--dry-run'),
    'storage expire': does(/would remove 0 executions/, '--retention', '30d', '--dry-run'),
    project: does(/projecting namespace default/, '--once'),

    // These serve: what is wrong with their settings is said before they do.
    serve: { ...does(/--no-auth/, '--no-auth', '--host', '0.0.0.0'), code: 2 },
    triggers: { ...does(/storage/, '--storage', 'nonsense://x'), code: 2 },
    worker: { ...does(/unknown kind: fax/, '--kinds', 'fax', '--storage', 'none'), code: 2 },
    dev: { ...does(/already using the data folder/, '--port', '0'), code: 1 },
  };
}
