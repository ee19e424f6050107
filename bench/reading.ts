/**
 * Readers of runs with hundreds of thousands of events: the first page, the state at an event, and how long others wait
 * meanwhile. The runs are made without a server (a loop of noops), the projection and the facade are real, and the facade has
 * a process of its own. `--runs 100000x1,100000x3` chooses iterations and tasks, `--parts stored,console` what is measured.
 * `--running 200000` measures ten readers of an execution that goes on instead. Bars: 2 s, 300 ms, 100 ms; ten readers, flat memory.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { createFacade, type FacadeServices, listen, openFor } from '../src/server/facade';
import { openPool } from '../src/storage/postgres';
import { Cursors, deliveryThreads, postgresSink, visitExecution } from '../src/server/projection';
import { migrate, openDatabase } from '../src/server/store';
import { CHROMIUM, FLAGS, move } from './console';
import { benchRunning } from './running';
import { clientWith, EXECUTION, loopHistory } from '../test/support/long-history';
import { startTestPostgres } from '../test/support/postgres';

export async function benchReading(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      runs: { type: 'string', default: '100000x1,100000x3' },
      parts: { type: 'string', default: 'derived,stored,console' },
      running: { type: 'string' },
      seconds: { type: 'string', default: '30' },
      serve: { type: 'string' },
    },
  });
  if (values.running !== undefined) return await benchRunning(Number(values.running), Number(values.seconds));
  const runs = values.runs.split(',');
  if (values.serve !== undefined) return await serve(values.serve, runs[0]!);
  for (const run of runs) await measure(run, new Set(values.parts.split(',')));
}

/** @param run `100000x3`: iterations, and tasks of each */
function historyOf(run: string): ReturnType<typeof loopHistory> {
  const [iterations, tasks] = run.split('x').map(Number);
  const history = loopHistory(iterations!, tasks);
  if (!history.at(-1)?.workflowExecutionCompletedEventAttributes) throw new Error(`${run} did not complete`);
  return history;
}

/** The facade: a process of its own, so that its memory is its own. */
async function serve(url: string, run: string): Promise<void> {
  const services = {
    client: clientWith(historyOf(run)).client,
    database: await openDatabase(url),
    authenticate: openFor([]),
    version: 'bench',
    report: (error: unknown) => console.error(error),
  } as unknown as FacadeServices;
  const facade = await listen(createFacade(services), 0);
  process.send!({ url: facade.url });
  setInterval(() => process.send!({ rss: process.memoryUsage().rss }), 100);
}

interface Told {
  readonly url?: string;
  readonly rss?: number;
}

interface Server {
  readonly url: string;
  readonly child: ChildProcess;
  /** Bytes: the most since it was last asked. */
  peak(): number;
}

async function started(database: string, run: string): Promise<Server> {
  const command = [process.argv[1]!, 'reading', '--serve', database, '--runs', run];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [{ url }] = (await once(child, 'message')) as [Told];
  let most = 0;
  child.on('message', ({ rss = 0 }: Told) => (most = Math.max(most, rss)));
  const peak = (): number => {
    const last = most;
    most = 0;
    return last;
  };
  return { url: `${url!}/api`, child, peak };
}

async function measure(run: string, parts: ReadonlySet<string>): Promise<void> {
  const postgres = await startTestPostgres();
  try {
    await migrate(postgres.url);
    if (parts.has('derived')) {
      const before = await started(postgres.url, run);
      console.log(`a loop of ${run} (iterations × tasks), derived from its history:`);
      await derived(before);
      await stop(before);
    }
    const { events, ms } = await project(postgres.url, run);
    console.log(`the projection took its ${events} events in ${(ms / 1000).toFixed(1)} s; from its tables:`);
    const server = await started(postgres.url, run);
    if (parts.has('stored')) await stored(server, events);
    if (parts.has('console')) await opened(server);
    await stop(server);
  } finally {
    await postgres.stop();
  }
}

async function stop({ child }: Server): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function project(url: string, run: string): Promise<{ events: number; ms: number }> {
  const { client } = clientWith(historyOf(run));
  const pool = openPool({ connectionString: url });
  const threads = deliveryThreads(client);
  const { signal } = new AbortController();
  const began = performance.now();
  let events = 0;
  const execution = {
    ...{ namespace: 'default', workflowId: `noetl-${EXECUTION}`, executionId: EXECUTION },
    runId: '0f9d6b6e-5d6c-4d8c-9a5e-6a1c5b0d2f11',
  };
  await visitExecution(execution, execution.runId, {
    ...{
      client,
      threads,
      signal,
      follow: false,
      sink: postgresSink(pool),
      cursors: new Cursors(pool, 'postgres'),
    },
    received: () => undefined,
    taken: (count) => (events += count),
  });
  const ms = performance.now() - began;
  threads.close();
  await pool.end();
  return { events, ms };
}

/** A request, until it is answered: of those that are told to wait, the first answer counts too. */
async function asked(
  url: string,
  accept = 'application/json',
): Promise<{ first: number; whole: number; told: number }> {
  const began = performance.now();
  let first: number | undefined;
  for (let told = 0; ; told++) {
    const response = await fetch(url, { headers: { accept } });
    const reader = response.body!.getReader();
    await reader.read();
    first ??= performance.now() - began;
    while (!(await reader.read()).done);
    if (response.status !== 202) {
      if (!response.ok) throw new Error(`${url}: HTTP ${response.status}`);
      return { first, whole: performance.now() - began, told };
    }
    await sleep(500);
  }
}

/** What others wait for an answer of `/api/health` while something goes on. */
async function beside<T>(server: Server, what: () => Promise<T>): Promise<{ value: T; waits: number[] }> {
  const waits: number[] = [];
  let isOver = false;
  const poll = (async () => {
    while (!isOver) {
      const began = performance.now();
      await (await fetch(`${server.url}/health`)).arrayBuffer();
      waits.push(performance.now() - began);
      await sleep(20);
    }
  })();
  const value = await what();
  isOver = true;
  await poll;
  return { value, waits };
}

async function row(
  server: Server,
  name: string,
  work: () => Promise<{ first: number; whole: number }>,
): Promise<void> {
  const { value, waits } = await beside(server, work);
  const sorted = waits.sort((a, b) => a - b);
  const health = `health p99 ${at(sorted, 0.99)} ms, max ${at(sorted, 1)} ms`;
  const memory = `memory ${Math.round(server.peak() / 2 ** 20)} MiB`;
  console.log(
    `  ${name.padEnd(34)} first ${value.first.toFixed(0).padStart(6)} ms, whole ${value.whole.toFixed(0).padStart(6)} ms; ${health}; ${memory}`,
  );
}

function at(sorted: readonly number[], share: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN).toFixed(0);
}

const RUN = `/executions/${EXECUTION}`;

/** The page of the run in Chromium: opened, moved to 20 events until it shows them, searched to the end; and the memory it takes. */
async function opened(server: Server): Promise<void> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  try {
    const page = await browser.newPage();
    await row(server, 'console: opened', async () => {
      const began = performance.now();
      await page.goto(`${server.url.replace(/api$/, '')}runs/${EXECUTION}`);
      await page.waitForSelector('[data-step="start"]', { timeout: 60_000 });
      const first = performance.now() - began;
      await page.waitForSelector('.left-out[data-end], .run-head-line[data-status="COMPLETED"]', {
        timeout: 180_000,
      });
      return { first, whole: performance.now() - began };
    });
    await row(server, 'console: 20 moves of the slider', async () => {
      const times: number[] = [];
      const count = Number(await page.locator('.slider input').getAttribute('max'));
      for (let n = 0; n < 20; n++) {
        const began = performance.now();
        const to = Math.max(1, Math.floor(((n * 7919) % 20) * (count / 20)));
        await move(page, to);
        while (!(await page.evaluate<boolean>(shows(to)))) await sleep(5);
        times.push(performance.now() - began);
      }
      times.sort((a, b) => a - b);
      return { first: Number(at(times, 0.5)), whole: Number(at(times, 1)) };
    });
    await row(server, 'console: searched', async () => {
      await page.click('#tab-Events');
      const began = performance.now();
      await page.fill('.events input[type="search"]', '[77777]');
      await page.waitForSelector('.event-row');
      const first = performance.now() - began;
      await page.waitForSelector('[data-found][data-over]', { timeout: 60_000 });
      return { first, whole: performance.now() - began };
    });
    const heap = await page.evaluate<number>('performance.memory.usedJSHeapSize');
    console.log(`  the page holds ${Math.round(heap / 2 ** 20)} MiB`);
    if (process.env['SCREENSHOTS']) await page.screenshot({ path: `${process.env['SCREENSHOTS']}.png` });
  } finally {
    await browser.close();
  }
}

/** What the page runs: whether the event is on its tape. */
function shows(seq: number): string {
  return `(() => {
    const part = document.querySelector('.left-out[data-end]')?.dataset;
    return !part || (Number(part.first) < ${seq} && ${seq} <= Number(part.end));
  })()`;
}

async function derived(server: Server): Promise<void> {
  for (const path of ['/events', '/events?profile=extended', '', '/state?at=70000', '/explanation'])
    await row(server, `GET ${path}`, () => asked(`${server.url}${RUN}${path}`));
  await row(server, 'GET /events (NDJSON)', () =>
    asked(`${server.url}${RUN}/events`, 'application/x-ndjson'),
  );
}

async function stored(server: Server, events: number): Promise<void> {
  const get = (path: string, accept?: string) => (): ReturnType<typeof asked> =>
    asked(`${server.url}${RUN}${path}`, accept);
  // The first view starts its thread.
  for (const path of ['', '/events', '/events?profile=extended', '/status', '/graph', '/explanation?after=0'])
    await row(server, `GET ${path}`, get(path));
  await row(server, '50 × GET /state?at=', async () => {
    const times: number[] = [];
    for (let n = 1; n <= 50; n++)
      times.push((await asked(`${server.url}${RUN}/state?at=${Math.ceil((n * events) / 50)}`)).whole);
    times.sort((a, b) => a - b);
    return { first: Number(at(times, 0.5)), whole: Number(at(times, 1)) };
  });
  for (const accept of ['application/x-ndjson', 'text/event-stream']) {
    await row(server, `GET /events (${accept})`, get('/events', accept));
    await row(server, `ten times at once`, async () => {
      const all = await Promise.all(Array.from({ length: 10 }, get('/events', accept)));
      return {
        first: Math.max(...all.map(({ first }) => first)),
        whole: Math.max(...all.map(({ whole }) => whole)),
      };
    });
  }
}
