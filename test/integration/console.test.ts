/** The console, as a person uses it: in Chromium, against a facade over Temporal and workers. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createSecretKey, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type Browser } from 'playwright-core';
import { keyRing } from '../../src/keyring';
import { axeViolations } from '../support/axe';
import { openTab, startChromium, type Tab } from '../support/chromium';
import { type BulkWorker, startBulkWorker } from '../../src/bulk';
import { startFacade, type TestFacade } from '../support/facade';
import { startTestPostgres, type TestPostgres } from '../support/postgres';
import { type Stack, startStack } from '../support/stack';
import { until } from '../support/until';

let browser: Browser;
let bulk: BulkWorker;
let stack: Stack;
let postgres: TestPostgres;
let facade: TestFacade;
let tab: Tab;
let over: Partial<TestFacade['services']> = {
  keys: keyRing([{ kid: 'test', key: createSecretKey(randomBytes(32)) }]),
};
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-console-'));

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
const FAILING = `
apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: failing, path: console/failing }
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
const ITERATIONS = 400;
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
interface Dom {
  readonly document: {
    querySelector(selector: string): DomInput;
    querySelectorAll(selector: string): { readonly length: number };
    readonly documentElement: { readonly scrollWidth: number };
  };
  readonly history: { replaceState(...of: readonly unknown[]): void };
}

interface Sized {
  readonly clientHeight: number;
}

interface DomInput {
  value: string;
  dispatchEvent(event: Event): boolean;
}

async function ask<T>(route: string, body?: unknown, method?: string): Promise<T> {
  const answer = await fetch(`${facade.url}${route}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  expect([route, answer.status]).toEqual([route, expect.any(Number)]);
  if (!answer.ok) throw new Error(`${route}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

async function started(playbook: string, workload = {}): Promise<string> {
  return (await ask<{ execution_id: string }>('/api/execute', { path: playbook, workload })).execution_id;
}

const node = (step: string, status: string): string => `[data-step="${step}"][data-status="${status}"]`;

async function waiting(): Promise<string> {
  const id = await started('console/import');
  await tab.page.goto(`/runs/${id}`);
  await tab.page.waitForSelector(node('sign_off', 'asleep'));
  return id;
}

beforeAll(async () => {
  browser = await startChromium();
  stack = await startStack({
    kinds: ['shell'],
    storage: pathToFileURL(path.join(folder, 'blobs')).href,
    playbooks: { resolve: () => Promise.resolve(stack.compile(TICK)) },
  });
  postgres = await startTestPostgres();
  over = { ...over, logs: stack.storage.logs(stack.server.namespace) };
  bulk = await startBulkWorker({
    connection: stack.native,
    client: stack.client,
    dataConverter: stack.storage.dataConverter,
  });
  facade = await startFacade(stack, { postgres, over });
  for (const content of [IMPORT, FAILING, TICK, TALKING, LONG])
    await ask('/api/catalog/register', { content });
}, 120_000);

beforeEach(async () => {
  tab = await openTab(browser, facade.url);
});

afterEach(async () => {
  if (!browser) return; // no Chromium
  const { errors, foreign } = tab;
  await tab.close();
  expect({ errors, foreign }).toEqual({ errors: [], foreign: [] });
});

afterAll(async () => {
  await browser?.close();
  await facade?.stop();
  await bulk?.stop();
  await stack?.stop();
  await postgres?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

test('runs are listed as they start and end; filters stand in the address; many are run again and cancelled', async () => {
  const { page } = tab;
  await page.goto('/');
  await page.waitForSelector('h1:has-text("Runs")');
  const id = await started('console/failing');
  const row = page.locator(`[data-execution="${id}"]`);
  await row.waitFor();
  await page.waitForSelector(`[data-execution="${id}"][data-status="FAILED"]`);
  await row.locator('.step-bar .failed').waitFor();
  await page.click('button.chip:has-text("failed")');
  await page.fill('[aria-label="Playbook, or a/b/*"]', 'console/failing');
  await page.waitForURL(/status=failed.*path=console%2Ffailing/);
  await row.locator('input[type=checkbox]').check();
  await page.click('.batch button:has-text("Run again")');
  await page.click('dialog button:has-text("Run again")');
  await page.waitForFunction(
    () => (globalThis as unknown as Dom).document.querySelectorAll('.run-rows [data-execution]').length > 1,
  );
  const held = await started('console/import');
  await page.goto('/runs?status=running&path=console/*');
  await page.locator(`[data-execution="${held}"] input`).check();
  await page.click('.batch button:has-text("Cancel")');
  await page.fill('dialog input', 'not needed');
  await page.click('dialog button:has-text("Cancel them")');
  await until(
    async () => (await ask<{ status: string }>(`/api/executions/${held}/status`)).status === 'CANCELLED',
  );
});

test('a run is drawn live, told of at any moment, and answered', async () => {
  const { page } = tab;
  const id = await waiting();
  await page.waitForSelector(node('fetch', 'done'));
  expect(await page.locator('[data-step="fetch"] .ring text').textContent()).toBe('4');
  expect(await page.locator('.token').count()).toBe(1);
  expect(await page.locator('.arc.fired').count()).toBe(2);
  // The first moment: nothing has happened.
  await page.click('[aria-label="First event"]');
  await page.waitForURL(/at=1/);
  await page.waitForSelector(node('fetch', 'waiting'));
  expect(await page.locator('.arc.fired').count()).toBe(0);
  await page.click('#tab-Variables');
  await page.waitForSelector('text=No variable is set yet');
  await page.click('button.live');
  await page.waitForSelector('.panel .key:text-is("region")');
  // Why it went on to fetch: the guard, with the value that it saw.
  await page.click('[data-step="start"]');
  await page.click('#tab-Decisions');
  await page.waitForSelector('.considered .won code:has-text("workload.region")');
  expect(await page.locator('.considered .won .tree').first().textContent()).toContain('eu');
  await page.click('#tab-Events');
  await page.waitForSelector('.event-row:has-text("next.selected")');
  await page.click('.waits button:has-text("Answer")');
  await page.fill('dialog textarea', '{"by": "Ada"}');
  await page.click('dialog button:has-text("Send")');
  await page.waitForSelector(`[data-execution="${id}"][data-status="COMPLETED"]`);
  await page.click('[data-step="publish"]');
  await page.click('#tab-Details');
  await page.waitForSelector('.details .tree:has-text("Ada")');
});

test('the timeline unfolds to iterations, by mouse and by keys', async () => {
  const { page } = tab;
  await waiting();
  await page.click('[data-span="fetch#1"] .unfold');
  await page.waitForSelector('[data-span="fetch#1[3]"]');
  await page.click('[data-span="fetch#1[3]"]');
  await page.waitForURL(/select=fetch%231%5B3%5D/);
  await page.waitForSelector('[data-selected="fetch#1[3]"] .tree:has-text("stdout")');
  await page.focus('.span-rows');
  await page.keyboard.press('ArrowUp');
  await page.waitForSelector('[data-selected="fetch#1[2]"]');
});

test('a run is paused, resumed, cancelled with a reason', async () => {
  const { page } = tab;
  const id = await waiting();
  await page.click('.actions button:has-text("Pause")');
  await page.waitForSelector('.run-head-line[data-status="PAUSED"]');
  await page.click('.actions button:has-text("Resume")');
  await page.waitForSelector('.run-head-line[data-status="RUNNING"]');
  await page.click('.actions button:has-text("Cancel")');
  await page.fill('dialog input', 'too late');
  await page.click('dialog button:has-text("Cancel the run")');
  await page.waitForSelector('.run-head-line[data-status="CANCELLED"]');
  expect(await ask(`/api/executions/${id}/status`)).toMatchObject({ status: 'CANCELLED', error: 'too late' });
});

test('a run begins again from a step, with other variables', async () => {
  const { page } = tab;
  const id = await waiting();
  await ask('/api/events', { execution_id: id, name: 'approved', payload: { by: 'Ada' } });
  await page.waitForSelector(node('publish', 'done'));
  await page.click('[data-step="publish"]');
  await page.click('button:has-text("Run again from here")');
  await page.fill('dialog textarea', '{"region": "mars"}');
  await page.click('dialog button:text-is("Run")');
  await page.click('.toasts a');
  await page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.endsWith(id));
  await page.waitForSelector('.run-head-line[data-status="COMPLETED"]');
  await page.waitForSelector('.panel .tree:has-text("mars")');
});

test('a failed run is repeated from its step with a revised playbook', async () => {
  const { page } = tab;
  const id = await started('console/failing');
  await page.goto(`/runs/${id}?select=step:start`);
  await page.waitForSelector(node('start', 'failed'));
  await page.click('button:has-text("Run again from here")');
  await page.check('dialog label:has-text("with a revised playbook") input');
  const text = page.locator('dialog label:has-text("Playbook") textarea');
  expect(await text.inputValue()).toContain('exit 3');
  await text.fill(FAILING.replace('exit 3', 'echo mended'));
  await page.click('dialog button:text-is("Run")');
  await page.click('.toasts a');
  await page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.endsWith(id));
  await page.waitForSelector('.run-head-line[data-status="COMPLETED"]');
});

test('what tasks print is followed live, told apart, and narrowed to what is selected', async () => {
  const { page } = tab;
  const file = path.join(folder, 'go-on');
  const id = await started('console/talking', { file });
  await page.goto(`/runs/${id}`);
  await page.click('#tab-Logs');
  await page.waitForSelector('.log-row[data-stream="stdout"]:has-text("first")');
  await page.waitForSelector(node('talk', 'running'));
  fs.writeFileSync(file, '');
  await page.waitForSelector('.log-row[data-stream="stderr"]:has-text("second")');
  await page.waitForSelector('.log-row .ansi-red:text-is("second")');
  await page.waitForSelector('.log-row[data-stream="error"]');
  const rows = (): Promise<string[]> => page.locator('.log-row code').allTextContents();
  expect((await rows()).slice(0, 4)).toEqual(['a', 'b', 'first', 'second']);
  const names = await page.locator('.log-task').allTextContents();
  expect(names.slice(0, 3)).toEqual(['start[0]', 'start[1]', 'talk']);
  expect(await axeViolations(page)).toEqual([]);
  // The moment and the selection count here as everywhere.
  await page.click('[data-span="start#1"] .unfold');
  await page.click('[data-span="start#1[1]"]');
  await until(async () => (await rows()).join() === 'b');
  await page.click('[data-step="talk"]');
  await until(async () => (await rows()).slice(0, 2).join() === 'first,second');
  await page.click('.log-row:has-text("second")');
  await page.waitForSelector('.event-shown:has-text("stderr") .log-whole :text-is("second")');
  await page.click('[aria-label="First event"]');
  await page.waitForSelector('text=No task of talk had printed anything by then.');
  await page.goto(`/runs/${await started('console/tick')}`);
  await page.click('#tab-Logs');
  await page.waitForSelector('text=No task printed anything.');
});

test('of many log lines those in sight are drawn, at the end at first; a broken stream is taken up, a notice is marked', async () => {
  const { page } = tab;
  const id = await started('console/tick');
  const line = (n: number): object => ({
    at: '2026-01-01T00:00:00.000Z',
    step: 'start',
    task: 'start_task',
    task_run_id: 'start#1.start_task@1',
    attempt: 1,
    stream: n === 20_000 ? 'notice' : 'stdout',
    line: n === 20_000 ? '7 lines are missing' : `line ${String(n)}`,
  });
  const told = Array.from(
    { length: 20_001 },
    (_, n) => `id: c.${String(n)}\ndata: ${JSON.stringify(line(n))}\n\n`,
  );
  // The connection breaks half-way; what is young comes again.
  const takenUp: unknown[] = [];
  await page.route('**/logs', (route) => {
    const last = route.request().headers()['last-event-id'];
    takenUp.push(last);
    const body =
      last === undefined ? told.slice(0, 10_000) : [...told.slice(9_990), 'event: end\ndata: {}\n\n'];
    return route.fulfill({ contentType: 'text/event-stream', body: body.join('') });
  });
  await page.goto(`/runs/${id}`);
  await page.click('#tab-Logs');
  await page.waitForSelector('.log-row[data-stream="notice"]:has-text("7 lines are missing")');
  expect(takenUp).toEqual([undefined, 'c.9999']);
  const height = await page
    .locator('.logs .rows-all')
    .evaluate((all) => (all as unknown as Sized).clientHeight);
  expect(height).toBe(24 * told.length);
  expect(await page.locator('.log-row').count()).toBeLessThan(100);
  await page
    .locator('.logs .rows')
    .evaluate((rows) => ((rows as unknown as { scrollTop: number }).scrollTop = 0));
  await page.waitForSelector('.log-row:has-text("line 0")');
  expect(await page.locator('.log-row').count()).toBeLessThan(100);
});

test('of 2,000 runs those in sight are drawn and asked about; the others come when one scrolls', async () => {
  const { page } = tab;
  const [size, all] = [100, 2_000];
  const graphs = new Set<string>();
  await page.route(/\/api\/executions\?/, (route) => {
    const from = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0);
    const body = Array.from({ length: size }, (_, n) => ({
      execution_id: String(5_000 - from - n),
      workflow_id: `noetl-${String(5_000 - from - n)}`,
      catalog_id: null,
      path: 'console/many',
      version: 1,
      status: 'COMPLETED',
      start_time: '2026-01-01T00:00:00.000Z',
      end_time: '2026-01-01T00:00:01.000Z',
      duration_seconds: 1,
      error: null,
      parent_execution_id: null,
    }));
    const headers: Record<string, string> = from + size < all ? { 'x-next-cursor': String(from + size) } : {};
    return route.fulfill({ json: body, headers });
  });
  await page.route(/\/api\/executions\/\d+\/graph/, (route) => {
    graphs.add(route.request().url());
    return route.fulfill({ json: { nodes: [{ step: 'start', status: 'done', runs: 1 }] } });
  });
  await page.goto('/runs');
  await page.waitForSelector('[data-execution="5000"] .step-bar .done');
  const drawn = page.locator('.run-rows [data-execution]');
  expect(await drawn.count()).toBeLessThan(50);
  expect(graphs.size).toBeLessThan(50);
  for (let listed = 2 * size; listed <= all; listed += size) {
    await page.locator('.run-rows').evaluate((rows) => {
      const box = rows as unknown as { scrollTop: number; scrollHeight: number };
      box.scrollTop = box.scrollHeight;
    });
    await page.waitForSelector(`.count:text-is("${String(listed)} runs")`);
  }
  await page.locator('.run-rows').press('End');
  await page.waitForSelector(`[data-execution="${String(5_001 - all)}"]`);
  expect(await drawn.count()).toBeLessThan(50);
  // A text is looked for on the pages that were not loaded yet, too.
  await page.goto('/runs?text=3111');
  await page.waitForSelector('.count:text-is("1 run")');
  await page.waitForSelector('[data-execution="3111"]');
});

test('the slider draws only rows in sight, and the address follows when it rests', async () => {
  const { page } = tab;
  const id = await started('console/long');
  await page.goto(`/runs/${id}`);
  await page.waitForSelector('.run-head-line[data-status="COMPLETED"]');
  await page.click('[data-span="start#1"] .unfold');
  await page.waitForSelector('[data-span="start#1[3]"]');
  const events = Number(await page.locator('.slider input').getAttribute('max'));
  expect(events).toBeGreaterThan(ITERATIONS * 2);
  const moves = 40;
  const moved = await page.evaluate(
    async ({ from, count }) => {
      const { document, history } = globalThis as unknown as Dom;
      const slider = document.querySelector('.slider input');
      const found = { drawn: 0, written: 0 };
      const own = history.replaceState.bind(history);
      history.replaceState = (...of) => {
        found.written++;
        own(...of);
      };
      for (let n = 1; n <= count; n++) {
        slider.value = String(n === count ? 7 : Math.ceil((from * (count - n)) / count));
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        await new Promise((resolve) => setTimeout(resolve, 20));
        found.drawn = Math.max(found.drawn, document.querySelectorAll('[data-span]').length);
      }
      return found;
    },
    { from: events, count: moves },
  );
  expect(moved.drawn).toBeLessThan(80);
  expect(moved.written).toBeLessThan(15);
  await page.waitForURL(/[?&]at=7(&|$)/);
  await page.waitForSelector('.slider-said:has-text("7 /")');
});

test('a playbook is started with a form, seen in the grid of its runs, edited with its problems, rehearsed, registered, compared', async () => {
  const { page } = tab;
  await page.goto('/playbooks/console/import');
  await page.click('.page-head button:has-text("Start")');
  await page.selectOption('dialog select[name=region]', 'us');
  await page.click('dialog button:text-is("Start")');
  await page.waitForSelector(node('other', 'done'));
  await page.goBack();
  await page.waitForSelector('.grid tr:has-text("other") .cell.done');
  await page.click('nav >> text=Edit');
  const text = page.locator('.cm-content');
  await text.click();
  await page.keyboard.press('Control+End');
  // Typed, a line end would take what the editor proposes, if that comes in time.
  await page.keyboard.insertText('\n- step: bad\n  tool: { kind: nop }');
  await page.waitForSelector('.diagnostics [data-code="NT2050"]');
  expect(await page.isDisabled('button:has-text("Register")')).toBe(true);
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(FAILING.replace('exit 3', 'exit 4').trimStart());
  await page.waitForSelector('text=No problems.');
  await page.click('button.chip:has-text("Rehearsals")');
  await page.fill(
    '.rehearsals textarea',
    'playbook: ./x.yaml\nmocks: { start: { error: { code: SHELL_EXIT, message: it ended with 3 } } }\nrehearsals:\n- name: it fails\n  expect: { status: failed }\n- name: it completes\n  expect: { status: completed }\n',
  );
  await page.click('button:has-text("Run them")');
  await page.waitForSelector('[data-rehearsal="it fails"][data-ok="true"]');
  await page.waitForSelector('[data-rehearsal="it completes"][data-ok="false"]');
  await page.click('button:has-text("Register")');
  await page.waitForSelector('[data-playbook="console/failing"]');
  await page.goto('/playbooks/console/failing?tab=versions');
  await page.waitForSelector('.diff .added:has-text("exit 4")');
  await page.request.post('/api/catalog/register', {
    data: { content: FAILING.replace('exit 3', 'exit 5'), staged: true },
  });
  await page.goto('/playbooks/console/failing');
  await page.waitForSelector('[data-staged] .graph [data-step="start"]');
  await page.click('[data-staged] button:has-text("Promote")');
  await page.waitForSelector('dialog:has-text("Although: no execution has been judged yet.")');
  await page.click('dialog button:text-is("Back")');
  await page.click('[data-staged] button:has-text("Give up")');
  await page.click('dialog button:text-is("Give up")');
  await page.waitForSelector('[data-staged]', { state: 'detached' });
});

test('schedules are made, started at once, backfilled and deleted; a queue that nobody polls is marked', async () => {
  const { page } = tab;
  await page.goto('/schedules');
  await page.click('.page-head button:has-text("New schedule")');
  await page.fill('dialog label:has-text("Name") input', 'nightly');
  await page.fill('dialog label:has-text("Playbook") input', 'console/tick');
  await page.click('dialog button:text-is("Create")');
  await page.waitForSelector('[data-schedule="nightly"] time');
  const runs = page.locator('[data-schedule="nightly"] a[href^="/runs/"]');
  await page.click('[data-schedule="nightly"] button:has-text("Start now")');
  await page.waitForSelector('.toasts :has-text("Started now.")');
  await until(async () => (await runs.count()) === 1);
  await page.click('[data-schedule="nightly"] button:has-text("Backfill")');
  await page.fill('dialog label:has-text("From") input', '2026-03-01T00:30');
  await page.fill('dialog label:has-text("To") input', '2026-03-02T23:30');
  await page.click('dialog button:has-text("Start them")');
  await until(async () => (await runs.count()) === 3);
  await page.waitForSelector('[data-schedule="nightly"] [data-status="COMPLETED"]');
  await page.click('[data-schedule="nightly"] button:has-text("Pause")');
  await page.waitForSelector('[data-schedule="nightly"][data-paused="true"]');
  await page.click('[data-schedule="nightly"] button:has-text("Delete")');
  await page.click('dialog button:has-text("Delete the schedule")');
  await page.waitForSelector('[data-schedule="nightly"]', { state: 'detached' });
  await page.goto('/workers');
  await page.waitForSelector('[data-queue="noetl-shell"][data-polled="true"]');
  await page.waitForSelector(
    '.unpolled[data-queue="noetl-http"]:has-text("noetl-temporal worker --kinds http")',
  );
});

test('a history file that is dropped is read with no server', async () => {
  const { page } = tab;
  await page.goto('/file');
  await page.waitForSelector('text=Drop a history file here');
  const file = path.resolve('test/histories/v1/error_path_failed.json');
  // Loaded once, as by whoever looked at a run before.
  await page.setInputFiles('input[type=file]', file);
  await page.waitForSelector(node('risky', 'failed'));
  await page.check('.coverage-toggle input');
  await page.waitForSelector('[data-step="recover"].uncovered');
  await page.waitForSelector('[data-step="risky"].covered');
  expect(await page.locator('.arc.uncovered').count()).toBeGreaterThan(0);
  await page.context().setOffline(true);
  await page.setInputFiles('input[type=file]', path.resolve('test/histories/v1/loop_elsewhere.json'));
  await page.waitForSelector(node('measure', 'done'));
  expect(await page.locator('[data-step="measure"] .ring text').textContent()).toBe('40');
  // What rules collect is told by no event: the engine knows it, at this moment.
  await page.setInputFiles('input[type=file]', path.resolve('test/histories/v1/collect_pages.json'));
  await page.click('#tab-Variables');
  await page.waitForSelector('.panel .member:has-text("[35]")');
  await page.click('#tab-Logs');
  await page.waitForSelector('text=A history does not contain what tasks print');
  await page.setInputFiles('input[type=file]', path.resolve('package.json'));
  await page.waitForSelector('.problem:has-text("not a Temporal history")');
});

test('the facade is killed and comes back: the page says so and goes on', async () => {
  const { page } = tab;
  const id = await waiting();
  const { port } = new URL(facade.url);
  await facade.stop();
  await page.waitForSelector('.lost[role=alert]');
  facade = await startFacade(stack, { postgres, over, port: Number(port) });
  await ask('/api/events', { execution_id: id, name: 'approved', payload: { by: 'Eve' } });
  await page.waitForSelector('.run-head-line[data-status="COMPLETED"]', { timeout: 30_000 });
  await page.waitForSelector('.lost[role=alert]', { state: 'detached' });
  // Chromium itself writes down each request that found nobody.
  (tab.errors as string[]).splice(
    0,
    Infinity,
    ...tab.errors.filter((said) => !/ERR_|Failed to load/.test(said)),
  );
});

test('every page is for everybody: axe finds nothing, in light and in dark', async () => {
  const id = await waiting();
  const own = await openTab(browser, facade.url, { colorScheme: 'light' });
  const found: Record<string, string[]> = {};
  const pages = [
    '/runs',
    `/runs/${id}?select=step:fetch`,
    '/playbooks',
    '/playbooks/console/import',
    '/playbooks/console/import?tab=edit',
    '/schedules',
    '/workers',
    '/credentials',
    '/settings',
    '/file',
  ];
  for (const address of pages) {
    await own.page.emulateMedia({ colorScheme: 'light' });
    await own.page.goto(address);
    await own.page.waitForSelector('h1');
    await own.page.waitForTimeout(700);
    const light = await axeViolations(own.page);
    // The same elements in other colours.
    await own.page.emulateMedia({ colorScheme: 'dark' });
    await own.page.waitForTimeout(300);
    const dark = await axeViolations(own.page, ['color-contrast']);
    if (light.length + dark.length > 0) found[address] = [...light, ...dark];
  }
  const { errors } = own;
  await own.close();
  expect({ found, errors }).toEqual({ found: {}, errors: [] });
}, 120_000);

test('on a phone nothing is wider than the screen', async () => {
  const id = await waiting();
  const own = await openTab(browser, facade.url, { viewport: { width: 390, height: 844 } });
  for (const address of ['/runs', `/runs/${id}`, '/playbooks', '/workers', '/settings']) {
    await own.page.goto(address);
    await own.page.waitForSelector('h1');
    const width = await own.page.evaluate(
      () => (globalThis as unknown as Dom).document.documentElement.scrollWidth,
    );
    expect([address, width]).toEqual([address, 390]);
  }
  await own.close();
});

test('what is downloaded before a run is seen stays below 350 kB', () => {
  const assets = path.resolve('dist/console/assets');
  const zipped = (name: RegExp): number =>
    fs
      .readdirSync(assets)
      .filter((file) => name.test(file))
      .reduce((sum, file) => sum + gzipSync(fs.readFileSync(path.join(assets, file))).length, 0);
  // All but what the editor needs.
  expect(zipped(/^(?!compiler|code-mirror).*\.js$/)).toBeLessThan(350_000);
});
