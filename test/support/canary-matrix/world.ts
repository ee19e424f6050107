/** The processes that the canary goes through: Temporal and workers of `dev`, a facade with tokens, a worker that fetches through it. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort } from '../../../src/temporal/client';
import { type Content, contentsOfFolder } from '../canary';
import { duckdbExtensions } from '../duckdb-extensions';
import { type Collector, startCollector } from '../otlp';
import { CLI, type Running, start } from '../process';
import { inProcess } from '../program';
import { PLANTED } from './tool';
import { type Services, startServices } from './services';

export const TEXT = 'canary/of+the store"é-8142';
const ASCII = TEXT.replace(/[^ -~]/g, '');
const TOKEN = 'canary-token-of-oauth2-77';
const SIGNING_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();
/** More than a 32-bit integer: a cast is to fail. */
const PIN = 73_918_264_501;
/** Also as Jinja's `urlencode` writes it. Any line of a key is too much. */
export const CANARIES = [
  TEXT,
  ASCII,
  encodeURIComponent(TEXT).replaceAll('%2F', '/'),
  TOKEN,
  String(PIN),
  ...SIGNING_KEY.split('\n').filter((line) => line.length === 64),
];
export const KEY = randomBytes(32).toString('base64');
const LIMIT_MS = 180_000;

export class World {
  readonly said: Content[] = [];
  readonly running: Running[] = [];
  data = '';
  address = '';
  facade = '';
  tokens = { worker: '', admin: '', run: '' };
  services!: Services;
  collector!: Collector;
  private extensions = '';
  private starting?: Promise<Services>;
  private readonly folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-canary-'));
  /** Files that programs are given by way of. */
  readonly temporary = path.join(this.folder, 'tmp');
  readonly go = path.join(this.folder, 'go');

  constructor(private readonly encrypt: boolean) {
    fs.chmodSync(this.folder, 0o755); // as root, Postgres runs under its own user
    fs.mkdirSync(this.temporary);
    this.data = path.join(this.folder, 'data');
  }

  async start(): Promise<void> {
    this.collector = await startCollector();
    this.extensions = await duckdbExtensions();
    this.starting = startServices(
      { text: TEXT, ascii: ASCII, token: TOKEN, key: SIGNING_KEY, pin: PIN },
      this.go,
    );
    const dev = this.run('dev', ['dev', '--port', '0'], { TEMPORAL_ADDRESS: '' });
    await dev.says('Ctrl-C stops everything', LIMIT_MS);
    this.address = /Temporal\s+(127\.0\.0\.1:\d+)/.exec(dev.output())![1]!;
    const token = async (name: string, scopes: string): Promise<string> => {
      const made = await inProcess(['tokens', 'create', name, '--scopes', scopes, '--json'], this.env());
      return (JSON.parse(made.stdout) as { token: string }).token;
    };
    const [worker, admin, run] = await Promise.all([
      token('w', 'worker'),
      token('a', 'admin'),
      token('r', 'run'),
    ]);
    this.tokens = { worker, admin, run };
    const port = await freePort();
    this.facade = `http://127.0.0.1:${port}`;
    this.run('serve', ['serve', '--port', String(port)]);
    this.services = await this.starting;
    await this.until('the facade', () =>
      fetch(`${this.facade}/api/health/ready`).then(
        (answer) => answer.ok || undefined,
        () => undefined,
      ),
    );
    await this.startWorker();
    for (const [name, [type, data]] of Object.entries(this.services.credentials)) {
      const description = PLANTED;
      const stored = await this.ask('POST', '/api/credentials', { name, type, data, description });
      expect({ name, status: stored.status }).toEqual({ name, status: 200 });
    }
  }

  /** A worker of every kind, which fetches credentials through the facade. */
  async startWorker(): Promise<Running> {
    const worker = this.run('worker', ['worker', '--kinds', 'all', '--pool', 'edge'], {
      NOETL_FACADE_URL: this.facade,
      NOETL_TOKEN: this.tokens.worker,
      NOETL_SANDBOX: 'none',
      DOCKER_HOST: this.services.docker,
    });
    await worker.says('serving', LIMIT_MS);
    return worker;
  }

  async ask(
    method: string,
    route: string,
    body?: unknown,
    token = this.tokens.admin,
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    const response = await fetch(`${this.facade}${route}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    this.said.push({ where: `REST ${method} ${route.replace(/\d{9,}/, 'ID')}`, text });
    return {
      status: response.status,
      body: (text.startsWith('{') ? JSON.parse(text) : { text }) as Record<string, unknown>,
    };
  }

  async until<T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> {
    // Each look may cost the facade a replay: less often, the longer it takes.
    let pauseMs = 100;
    for (const deadline = Date.now() + LIMIT_MS; Date.now() < deadline;) {
      const found = await look();
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      pauseMs = Math.min(pauseMs * 1.5, 1000);
    }
    const said = this.running.map((one) => one.output().slice(-1500)).join('\n---\n');
    throw new Error(`${what} did not come about\n${said}`);
  }

  logs(): Content[] {
    return this.running.map((one, index) => ({ where: `log of ${this.names[index]}`, text: one.output() }));
  }

  /** Everything in the data folder: databases, stored results, logs. */
  files(): Content[] {
    return contentsOfFolder(this.data).map(({ where, text }) => ({
      where: `file ${where.split('/').slice(0, 2).join('/')}`,
      text,
    }));
  }

  async stop(): Promise<void> {
    for (const one of this.running) one.child.kill('SIGTERM');
    await Promise.all(this.running.map((one) => one.finished));
    await this.starting?.then((services) => services.stop());
    await this.collector?.close();
    fs.rmSync(this.folder, { recursive: true, force: true });
  }

  private readonly names: string[] = [];

  private run(name: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): Running {
    const one = start(process.execPath, [CLI, ...args], { ...this.env(), ...more }, this.folder);
    this.names.push(name);
    this.running.push(one);
    return one;
  }

  private env(): Record<string, string> {
    return {
      NOETL_DATA_DIR: this.data,
      NOETL_STORAGE: pathToFileURL(path.join(this.data, 'blobs')).href,
      NOETL_LOG_LEVEL: 'debug',
      NOETL_ENCRYPT_PAYLOADS: this.encrypt ? '1' : '',
      NOETL_SECRETS_KEY: KEY,
      TEMPORAL_ADDRESS: this.address,
      TMPDIR: this.temporary,
      OTEL_EXPORTER_OTLP_ENDPOINT: this.collector.url,
      NOETL_DUCKDB_EXTENSIONS: this.extensions,
      OTEL_BSP_SCHEDULE_DELAY: '200',
    };
  }
}
