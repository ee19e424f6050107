/**
 * 60 concurrent hostile requests to a `serve` process, of the kinds that used to block it (issue 17): meanwhile the
 * 99th percentile of `/api/health` stays below 100 ms, and none returns 500. Needs a build; starts all it needs.
 * NOETL_BENCH_HOSTILE sets the number (60).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { benchPlace } from './place';

const HEAD = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: h, path: bench/hostile}\n';
const step = (n: number): string =>
  `- step: s${n}\n  tool: {kind: noop}\n  next: {arcs: [{step: s${n + 1}}]}\n`;
const arcs = '{spec: {mode: inclusive}, arcs: [{step: start}, {step: other}]}';

const PLAYBOOKS = {
  quiet: `${HEAD}workflow:\n- step: start\n  tool: {kind: wait, event: never}\n`,
  forks: `${HEAD}workflow:\n- {step: start, tool: {kind: noop}, next: ${arcs}}\n- {step: other, tool: {kind: noop}, next: ${arcs}}\n`,
  steps: `${HEAD}workflow:\n- step: start\n  tool: {kind: noop}\n${Array.from({ length: 20_000 }, (_, n) => step(n)).join('')}`,
  templates: `${HEAD}workflow:\n- step: start\n  tool: {kind: noop, input: {all: [${Array(150_000).fill('"{{ a.b }}"').join(', ')}]}}\n`,
  nested: `${HEAD}workload: {a: ${'['.repeat(5000)}${']'.repeat(5000)}}\nworkflow: [{step: start}]\n`,
};

/** A request: method, path, body as text. */
type Hostile = (id: string) => readonly [string, string, string?];
const json = JSON.stringify;
const content = (text: string): string => json({ content: text });
const KINDS: Readonly<Record<string, Hostile>> = {
  'render 12,000 templates': (id) => [
    'POST',
    '/api/context/render',
    json({ execution_id: id, template: Array(12_000).fill('{{ range(2000) | sum }}') }),
  ],
  'render what fills the memory': (id) => [
    'POST',
    '/api/context/render',
    json({ execution_id: id, template: Array(500).fill("{{ 'x' * 8000000 }}") }),
  ],
  'validate 150,000 templates': () => [
    'POST',
    '/api/catalog/playbooks/validate',
    content(PLAYBOOKS.templates),
  ],
  'validate 20,000 steps': () => ['POST', '/api/catalog/playbooks/validate', content(PLAYBOOKS.steps)],
  'register 20,000 steps': () => ['POST', '/api/catalog/register', content(PLAYBOOKS.steps)],
  'validate nested YAML': () => ['POST', '/api/catalog/playbooks/validate', content(PLAYBOOKS.nested)],
  'nested JSON': () => [
    'POST',
    '/api/execute',
    `{"path": "bench/hostile", "workload": {"a": ${'['.repeat(5000)}${']'.repeat(5000)}}}`,
  ],
  'many values': () => ['POST', '/api/execute', `{"workload": {"a": [${'{},'.repeat(2_000_000)}{}]}}`],
  'execute what multiplies': () => ['POST', '/api/execute', json({ path: 'bench/forks' })],
  'analyze by a model': (id) => ['POST', `/api/executions/${id}/analyze/ai`, '{}'],
};
/** Streams opened in addition, by one client. */
const STREAMS = 400;

/** Requests the health of a facade every 10 ms, in a separate process, because this one is busy sending. */
const PROBE = `
const http = require('node:http');
const agent = new http.Agent({ keepAlive: true });
const all = [];
const ask = () => {
  const begin = performance.now();
  http.get(process.argv[1] + '/api/health', { agent }, (answer) => {
    answer.resume().once('end', () => { all.push(performance.now() - begin); setTimeout(ask, 10); });
  }).once('error', () => { all.push(Infinity); setTimeout(ask, 10); });
};
ask();
process.stdin.resume().once('end', () => { process.stdout.write(all.join()); process.exit(); });
`;

export async function benchHostile(): Promise<void> {
  const requests = Number(process.env['NOETL_BENCH_HOSTILE'] ?? 60);
  const place = await benchPlace();
  const { port, url, env } = place;
  const facade = command(['serve', '--no-auth', '--port', String(port)], {
    ...env,
    NOETL_LOG_LEVEL: 'error',
  });
  const worker = command(['worker', '--workflows'], env);
  const streams = new AbortController();
  try {
    while (!(await send(url, 'GET', '/api/health/ready').catch(() => 0))) await sleep(50);
    const id = await begin(url, 'bench/quiet', PLAYBOOKS.quiet);
    await send(url, 'POST', '/api/catalog/register', content(as('bench/forks', PLAYBOOKS.forks)));
    const probe = spawn(process.execPath, ['-e', PROBE, url], { stdio: ['pipe', 'pipe', 'inherit'] });
    const kinds = Object.entries(KINDS);
    const began = performance.now();
    const opened = Array.from({ length: STREAMS }, () =>
      fetch(`${url}/api/executions/${id}/events`, {
        headers: { accept: 'text/event-stream' },
        signal: streams.signal,
      }).then(({ status }) => status),
    );
    const answers = await Promise.all(
      Array.from({ length: requests }, async (_, n) => {
        const [kind, make] = kinds[n % kinds.length]!;
        return [kind, await send(url, ...make(id))] as const;
      }),
    );
    const seconds = (performance.now() - began) / 1000;
    const probed = await read(probe);
    for (const [kind] of kinds)
      console.log(
        `  ${kind}: ${answers.flatMap(([one, status]) => (one === kind ? [status] : [])).join(' ')}`,
      );
    const refused = (await Promise.all(opened)).filter((status) => status === 429).length;
    console.log(`  ${STREAMS} streams: ${refused} refused`);
    const at = (share: number): number =>
      probed[Math.min(probed.length - 1, Math.floor(share * probed.length))]!;
    console.log(
      `  ${requests} requests in ${seconds.toFixed(1)} s; health, ${probed.length} probes: ` +
        `median ${at(0.5).toFixed(1)} ms, p99 ${at(0.99).toFixed(1)} ms, slowest ${at(1).toFixed(1)} ms; aim: p99 below 100`,
    );
    const failed = answers.filter(([, status]) => status >= 500 && status !== 501);
    if (at(0.99) >= 100 || failed.length > 0) {
      console.error(`  missed: ${failed.length} requests failed`);
      process.exitCode = 1;
    }
  } finally {
    streams.abort();
    facade.kill();
    worker.kill();
    await place.stop();
  }
}

const as = (place: string, text: string): string => text.replace('bench/hostile', place);

async function begin(url: string, place: string, text: string): Promise<string> {
  await send(url, 'POST', '/api/catalog/register', content(as(place, text)));
  const headers = { 'content-type': 'application/json' };
  const body = json({ path: place });
  const started = await fetch(`${url}/api/execute`, { method: 'POST', headers, body });
  return ((await started.json()) as { execution_id: string }).execution_id;
}

async function send(url: string, method: string, where: string, body?: string): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}${where}`, { method, headers, ...(body !== undefined && { body }) });
  await response.arrayBuffer();
  return response.status;
}

/** Milliseconds, sorted. */
async function read(probe: ReturnType<typeof spawn>): Promise<number[]> {
  let text = '';
  probe.stdout!.on('data', (piece: Buffer) => (text += piece.toString()));
  probe.stdin!.end();
  await new Promise((resolve) => probe.once('close', resolve));
  return text
    .split(',')
    .map(Number)
    .sort((a, b) => a - b);
}

function command(args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const main = path.join(__dirname, '..', 'src', 'cli', 'main.js');
  return spawn(process.execPath, [main, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
