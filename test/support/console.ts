/** The console in Chromium, against a facade over Temporal and a worker, with playbooks in the catalog. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createSecretKey, randomBytes } from 'node:crypto';
import { type Browser, type BrowserContextOptions } from 'playwright-core';
import { type BulkWorker, startBulkWorker } from '../../src/server/bulk';
import { Consumer, Cursors, ProjectionLeases, postgresSink } from '../../src/server/projection';
import { keyRing } from '../../src/storage/keyring';
import { addressOf, openPool } from '../../src/storage/postgres';
import { type LogLine } from '../../src/telemetry/logs';
import { openTab, startChromium, type Tab } from './chromium';
import { startFacade, type TestFacade } from './facade';
import { startTestPostgres, type TestPostgres } from './postgres';
import { type Stack, startStack } from './stack';

const IMPORT = `
apiVersion: noetl.io/v2
kind: Playbook
metadata:
  name: import
  path: console/import
  workload: { region: { enum: [eu, us] }, files: { type: integer } }
workload: { files: 4, region: eu }
workflow:
- step: start
  desc: Looks what there is
  tool: { kind: noop, input: { files: "{{ workload.files }}" } }
  set: { ctx.region: "{{ workload.region }}" }
  next:
    arcs:
    - { step: fetch, when: "{{ workload.region == 'eu' }}" }
    - { step: other }
- step: fetch
  loop: { in: "{{ range(workload.files) | list }}", iterator: file, spec: { mode: parallel, max_in_flight: 2 } }
  tool: { kind: shell, cmds: ["echo {{ iter.file }}"] }
  next: { arcs: [{ step: sign_off }] }
- step: sign_off
  tool: { kind: wait, event: approved, timeout: PT1H }
  next: { arcs: [{ step: publish }] }
- step: publish
  tool: { kind: noop, input: { by: "{{ sign_off.by }}", region: "{{ ctx.region }}" } }
- step: other
  tool: { kind: noop }
`;
/** At `console/failing`. */
export const FAILING = `
apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: failing, path: console/failing, labels: { team: sales }, run_name: "load {{ workload.customer }}" }
workload: { customer: acme }
workflow:
- step: start
  tool: { kind: shell, cmds: ["exit 3"] }
`;
const TICK = `
apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: tick, path: console/tick }
workflow:
- step: start
  tool: { kind: noop }
`;
/** Prints, and prints more and fails when a file is there. */
const TALKING = `
apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: talking, path: console/talking }
workload: { file: none }
workflow:
- step: start
  loop: { in: [a, b], iterator: word, spec: { mode: sequential } }
  tool: { kind: shell, cmds: ["echo {{ iter.word }}"] }
  next: { arcs: [{ step: talk }] }
- step: talk
  tool: { kind: shell, cmds: ["echo first; until [ -e {{ workload.file }} ]; do sleep 0.1; done; printf '\\\\033[31msecond\\\\033[0m\\\\n' >&2; exit 5"] }
`;
/** Of four iterations, one fails; another step is for a kind that no worker serves. */
const LOOPING = `
apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: looping, path: console/looping }
executor: { spec: { deadline: 2s } }
workflow:
- step: start
  spec: { policy: { failure: { mode: best_effort } } }
  loop: { in: [a, b, c, d], iterator: word, spec: { mode: parallel } }
  tool: { kind: shell, cmds: ["echo {{ iter.word }}; test {{ iter.word }} != b"] }
  next: nobody
- step: nobody
  tool: { kind: container, image: x }
`;
/** Of the loop of `console/long`. */
export const ITERATIONS = 400;
const LONG = `
apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: long, path: console/long }
workflow:
- step: start
  loop: { in: "{{ range(${String(ITERATIONS)}) | list }}", iterator: n, spec: { mode: parallel, max_in_flight: 50 } }
  tool: { kind: noop, input: { n: "{{ iter.n }}" } }
`;

/** What tests use of a page, whose types are not those of Node. */
export interface Dom {
  readonly document: {
    querySelector(selector: string): DomInput;
    querySelectorAll(selector: string): { readonly length: number };
    readonly documentElement: { readonly scrollWidth: number };
  };
  readonly history: { replaceState(...of: readonly unknown[]): void };
}

export interface Sized {
  readonly clientHeight: number;
  readonly scrollHeight: number;
}

interface DomInput {
  value: string;
  dispatchEvent(event: Event): boolean;
}

/** The step in a drawing of the playbook, when it has this status. */
export const node = (step: string, status: string): string =>
  `[data-step="${step}"][data-status="${status}"]`;

export interface UsedConsole {
  /** A new one for each test, which fails if the page's console tells of errors, or the page asks anybody else. */
  readonly tab: Tab;
  /** Of this file's tests alone. */
  readonly folder: string;
  /** Asks the facade. @throws with its answer if that is an error */
  ask<T>(route: string, body?: unknown): Promise<T>;
  /** Starts an execution. @returns its id */
  started(playbook: string, workload?: object): Promise<string>;
  /** Starts `console/import` and opens its page. @returns its id, when it waits for `approved` at `sign_off` */
  waiting(): Promise<string>;
  /** A tab of another sort, which the test closes. */
  openTab(options: BrowserContextOptions): Promise<Tab>;
  /** Where the logs of an execution are kept. */
  storedLogs(id: string): { write(name: string, lines: readonly LogLine[]): Promise<void> };
  stopFacade(): Promise<void>;
  /** After `stopFacade`, at the same address. */
  restartFacade(): Promise<void>;
}

/** Called once in a test file: starts and stops all of it. */
export function useConsole(): UsedConsole {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-console-'));
  let browser: Browser;
  let bulk: BulkWorker;
  let stack: Stack;
  let postgres: TestPostgres;
  let facade: TestFacade;
  let tab: Tab;
  const keys = keyRing([{ kid: 'test', key: createSecretKey(randomBytes(32)) }]);
  const serve = (port?: number): Promise<TestFacade> => {
    const logs = stack.storage.logs(stack.server.namespace);
    return startFacade(stack, {
      postgres,
      over: { keys, logs, ingressSecret: () => Promise.resolve({ secret: 'key' }) },
      port,
    });
  };

  const stop = new AbortController();
  let projected: () => Promise<unknown> = () => Promise.resolve();
  const project = (): void => {
    const pool = openPool({ ...addressOf(postgres.url), max: 3 });
    const leases = new ProjectionLeases(postgres.url);
    const sink = postgresSink(pool);
    const cursors = new Cursors(pool, sink.name);
    const { signal } = stop;
    const options = { client: stack.client, sink, cursors, leases, concurrency: 2, once: false, signal };
    const done = new Consumer({ ...options, report: () => undefined }).run().catch(() => undefined);
    projected = () => done.finally(() => leases.close()).finally(() => pool.end());
  };

  beforeAll(async () => {
    browser = await startChromium();
    stack = await startStack({
      kinds: ['shell'],
      storage: pathToFileURL(path.join(folder, 'blobs')).href,
      playbooks: { resolve: () => Promise.resolve(stack.compile(TICK)) },
    });
    postgres = await startTestPostgres();
    bulk = await startBulkWorker({
      connection: stack.native,
      client: stack.client,
      dataConverter: stack.storage.dataConverter,
    });
    facade = await serve();
    project();
    for (const content of [IMPORT, FAILING, TICK, TALKING, LOOPING, LONG])
      await ask('/api/catalog/register', { content });
  });

  beforeEach(async () => {
    tab = await openTab(browser, facade.url);
  });

  afterEach(async () => {
    if (!tab) return; // no Chromium, or what comes before the tests failed
    const { errors, foreign } = tab;
    await tab.close();
    expect({ errors, foreign }).toEqual({ errors: [], foreign: [] });
  });

  afterAll(async () => {
    await browser?.close();
    stop.abort();
    await projected();
    await facade?.stop();
    await bulk?.stop();
    await stack?.stop();
    await postgres?.stop();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  async function ask<T>(route: string, body?: unknown): Promise<T> {
    const answer = await fetch(`${facade.url}${route}`, {
      method: body === undefined ? 'GET' : 'POST',
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    if (!answer.ok) throw new Error(`${route}: ${await answer.text()}`, { cause: facade.reported.at(-1) });
    return (await answer.json()) as T;
  }
  const started: UsedConsole['started'] = async (playbook, workload = {}) =>
    (await ask<{ execution_id: string }>('/api/execute', { path: playbook, workload })).execution_id;

  return {
    get tab() {
      return tab;
    },
    folder,
    ask,
    started,
    async waiting() {
      const id = await started('console/import');
      await tab.page.goto(`/runs/${id}`);
      await tab.page.waitForSelector(node('sign_off', 'asleep'));
      return id;
    },
    openTab: (options) => openTab(browser, facade.url, options),
    storedLogs(id) {
      const store = stack.storage.logs(stack.server.namespace)!;
      return { write: (name, lines) => store.write(id, name, lines) };
    },
    stopFacade: () => facade.stop(),
    async restartFacade() {
      facade = await serve(Number(new URL(facade.url).port));
    },
  };
}
