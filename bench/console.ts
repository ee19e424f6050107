/**
 * The console in Chromium: first paint of a run, the delay between an event and the page, the cost of moving the time
 * slider in a run of 10,000 events. Starts `dev` of its own. Bars: 400 ms, 500 ms, 33 ms (p95).
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, chromium, type Page } from 'playwright-core';
import { command, post, ready } from './processes';

const PORT = 18_300;
const URL = `http://127.0.0.1:${PORT}`;
export const CHROMIUM = process.env['NOETL_TEST_CHROMIUM'] ?? '/usr/bin/chromium';
export const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run'];
const STEPS = 20;

const head = (name: string): string =>
  `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: ${name}, path: bench/${name} }\n`;
const TICKING = `${head('ticking')}workflow:\n${Array.from(
  { length: STEPS },
  (_, n) =>
    `- step: ${n === 0 ? 'start' : `s${n}`}\n  tool: { kind: wait, for: 300ms }\n` +
    (n + 1 < STEPS ? `  next: { arcs: [{ step: s${n + 1} }] }\n` : ''),
).join('')}`;
const LONG = `${head('long')}workflow:
- step: start
  loop: { in: "{{ range(2500) | list }}", iterator: i, spec: { mode: sequential } }
  tool: { kind: noop, input: { i: "{{ iter.i }}" } }
`;

export async function benchConsole(): Promise<void> {
  const data = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-bench-console-'));
  const server = command(['dev', '--port', String(PORT), '--data', data], {});
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  try {
    await ready(URL);
    for (const content of [TICKING, LONG]) await post(URL, '/api/catalog/register', { content });
    await events(browser);
    await slider(browser);
  } finally {
    await browser.close();
    server.kill('SIGTERM');
    await once(server, 'exit');
    fs.rmSync(data, { recursive: true, force: true });
  }
}

async function start(path: string): Promise<string> {
  return String((await post(URL, '/api/execute', { path }))['execution_id']);
}

/** What the page runs: the moment at which each step was first seen as completed. */
const WATCH = `globalThis.seen = {};
new MutationObserver(() => {
  for (const node of document.querySelectorAll('[data-step][data-status="done"]'))
    globalThis.seen[node.dataset.step] ??= Date.now();
}).observe(document, { subtree: true, childList: true, attributes: true });`;

async function events(browser: Browser): Promise<void> {
  const page = await browser.newPage();
  await page.addInitScript(WATCH);
  const id = await start('bench/ticking');
  await page.goto(`${URL}/runs/${id}`);
  await page.waitForSelector('.run-head-line[data-status="COMPLETED"]', { timeout: 60_000 });
  const seen = await page.evaluate<Record<string, number>>('globalThis.seen');
  const told = await fetch(`${URL}/api/executions/${id}/events?profile=canonical&page_size=10000`);
  const { events: all } = (await told.json()) as { events: readonly Event[] };
  const ends = all.filter(({ event_type }) => event_type === 'step.done');
  const late = ends
    .map(({ entity_id, timestamp }) => (seen[entity_id.replace(/#.*/, '')] ?? NaN) - Date.parse(timestamp))
    .filter((ms) => !Number.isNaN(ms));
  report('event on the page', late, 'ms after it happened');
  const painted: number[] = [];
  const drawn: number[] = [];
  for (let n = 0; n < 10; n++) {
    await page.goto(`${URL}/runs/${id}`);
    await page.waitForSelector('[data-step="start"]');
    drawn.push(await page.evaluate<number>('performance.now()'));
    painted.push(
      await page.evaluate<number>('performance.getEntriesByName("first-contentful-paint")[0].startTime'),
    );
  }
  report('first paint of a run', painted, 'ms after navigation');
  report('graph drawn', drawn, 'ms after navigation');
  await page.close();
}

interface Event {
  readonly event_type: string;
  /** `step#run` */
  readonly entity_id: string;
  readonly timestamp: string;
}

async function slider(browser: Browser): Promise<void> {
  const id = await start('bench/long');
  const page = await browser.newPage();
  await page.goto(`${URL}/runs/${id}`);
  await page.waitForSelector('.run-head-line[data-status="COMPLETED"]', { timeout: 120_000 });
  const count = Number(await page.locator('.slider input').getAttribute('max'));
  const costs: number[] = [];
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const busy = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN);
  };
  for (let n = 0; n < 200; n++) {
    const before = await busy();
    await move(page, Math.floor(((n * 7919) % 200) * (count / 200)));
    costs.push((await busy()) - before);
  }
  console.log(`run of ${count} events`);
  report('slider move', costs, 'ms of the main thread');
  await page.close();
}

export async function move(page: Page, to: number): Promise<void> {
  await page.evaluate(`(() => {
    const slider = document.querySelector('.slider input');
    slider.value = '${to}';
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  })()`);
  await sleep(5);
}

function report(what: string, values: readonly number[], unit: string): void {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN).toFixed(1);
  console.log(
    `${what}: median ${at(0.5)}, p95 ${at(0.95)}, most ${at(1)} ${unit} (${values.length} samples)`,
  );
}
