/**
 * A process that runs DuckDB (child/main.ts) for its worker: starts it, sends it requests, and tells why it died. It
 * has none of the worker's environment but what locates programs, files and servers.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { type Socket } from 'node:net';
import { runInBackground } from '../../../framework/process/background';
import { only } from '../../../framework/process/descriptors';
import { lastTextLine, TailBuffer } from '../../../framework/tool/bounded';
import { ToolError } from '../../../framework/tool/outcome';
import { crashed, lost, type Death, deathOf } from './death';
import { DuckdbFrameReader, sendFrame } from './frames';

/** What scripts/build.mjs makes of child/main.ts: one file, which starts in two thirds of the time. */
export const ENTRY = path.join(
  path.extname(__filename) === '.js'
    ? path.resolve(__dirname, '..')
    : path.resolve(__dirname, '../../../../dist/activities/kinds/duckdb'),
  'child/process.cjs',
);

const START_LIMIT_MS = 30_000;
/** How long a statement runs before others of its process begin: what it breaks at once, it breaks alone. */
const ALONE_MS = 100;
/** A statement that is interrupted ends, or its process does. */
const INTERRUPT_LIMIT_MS = 2_000;

/** See child/main.ts and child/session.ts. */
export interface DuckdbRequest {
  readonly op: string;
  readonly session?: number;
  readonly [more: string]: unknown;
}

export interface DuckdbReply {
  readonly meta: Readonly<Record<string, unknown>>;
  readonly text: string;
}

interface Waiting {
  readonly session: number | undefined;
  resolve(reply: DuckdbReply): void;
  reject(error: unknown): void;
}

/** An error as DuckDB words it. */
export class StatementError extends Error {}

export interface DuckdbStart {
  /** The command line that runs a command where this process shall run. */
  readonly around: (command: readonly string[]) => readonly string[];
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Opens the filter of system calls that a sandbox reads as descriptor 4. */
  readonly openFilter?: () => number | undefined;
}

export class DuckdbProcess {
  private readonly child: ChildProcess;
  private readonly channel: Socket;
  private readonly waiting = new Map<number, Waiting>();
  readonly whenEnded: Promise<Death>;
  private readonly stderr = new TailBuffer(65_536);
  private death: Death | undefined;
  private requests = 0;
  private sessions = 0;
  /** The request before which no other began, while it is new. */
  private newest: { readonly id: number; readonly passed: Promise<void> } | undefined;

  constructor(start: DuckdbStart) {
    this.child = spawned(start);
    this.channel = this.child.stdio[3] as unknown as Socket;
    this.child.stderr!.on('data', (piece: Buffer) => this.stderr.push(piece));
    this.channel.on('error', () => undefined);
    this.whenEnded = new Promise((resolve) => {
      this.child.on('error', (error) => resolve({ why: error.message }));
      this.child.on('close', (code, signal) =>
        resolve(deathOf(code, signal, lastTextLine(this.stderr.toString()))),
      );
    });
    void this.whenEnded.then((death) => this.die(death));
    this.keepsAlive(false);
    running.add(this);
  }

  /** @throws Error that says why it did not start */
  async ready(): Promise<this> {
    const timer = setTimeout(() => this.kill(), START_LIMIT_MS);
    const reader = new DuckdbFrameReader();
    this.keepsAlive(true);
    try {
      const { ready, why } = await Promise.race([
        new Promise<Record<string, unknown>>((resolve) => {
          this.channel.on('data', (piece: Buffer) => this.receive(reader, piece, resolve));
        }),
        this.whenEnded.then(({ why }) => ({ ready: false, why })),
      ]);
      if (ready !== true) throw new Error(String(why));
      return this;
    } finally {
      clearTimeout(timer);
      this.keepsAlive(false);
    }
  }

  get isAlive(): boolean {
    return this.death === undefined;
  }

  /** Whether this process ends only when it is done: not while it is idle. */
  keepsAlive(yes: boolean): void {
    const streams = [this.child, this.channel, this.child.stderr as unknown as Socket];
    for (const one of streams)
      if (yes) one.ref();
      else one.unref();
  }

  kill(): void {
    try {
      process.kill(-this.child.pid!, 'SIGKILL');
    } catch {
      // It is gone, or never was.
    }
  }

  newSession(): number {
    return ++this.sessions;
  }

  /**
   * @throws StatementError as DuckDB words it; ToolError `DUCKDB_CRASHED` if the request ended the process, `DUCKDB_LOST`
   *   if that may have been another one
   */
  async ask(request: DuckdbRequest, text?: string): Promise<DuckdbReply> {
    while (this.newest) await this.newest.passed;
    if (this.death) throw lost(this.death);
    const id = ++this.requests;
    const reply = new Promise<DuckdbReply>((resolve, reject) =>
      this.waiting.set(id, { session: request.session, resolve, reject }),
    );
    this.begin(id, reply);
    sendFrame(this.channel, { ...request, id }, text);
    return reply;
  }

  private begin(id: number, reply: Promise<unknown>): void {
    let pass: () => void = () => undefined;
    const passed = new Promise<void>((resolve) => (pass = resolve)).then(() => {
      if (this.newest?.id === id) this.newest = undefined;
    });
    const timer = setTimeout(() => pass(), ALONE_MS);
    const end = (): void => {
      clearTimeout(timer);
      pass();
    };
    reply.then(end, end);
    this.newest = { id, passed };
  }

  /** Interrupts what the session does; ends the process if that does not help. @returns a function that calls this off */
  interrupt(session: number): () => void {
    sendFrame(this.channel, { op: 'interrupt', session });
    const timer = setTimeout(() => {
      if ([...this.waiting.values()].some((one) => one.session === session)) this.kill();
    }, INTERRUPT_LIMIT_MS);
    timer.unref();
    return () => clearTimeout(timer);
  }

  private receive(
    reader: DuckdbFrameReader,
    piece: Buffer,
    ready: (message: Record<string, unknown>) => void,
  ): void {
    try {
      for (const { meta, text } of reader.push(piece)) {
        if ('ready' in meta) ready(meta);
        else this.settle(meta, text);
      }
    } catch {
      // Not the language of this process: nothing it says counts any more.
      this.kill();
    }
  }

  private settle(meta: DuckdbReply['meta'], text: string): void {
    const one = this.waiting.get(meta['id'] as number);
    this.waiting.delete(meta['id'] as number);
    const error = meta['error'] as { message: string; code?: string; more?: object } | undefined;
    if (!error) one?.resolve({ meta, text });
    else if (error.code === undefined) one?.reject(new StatementError(error.message));
    else
      one?.reject(
        new ToolError({ ...error.more, kind: 'validation', code: error.code, message: error.message }),
      );
  }

  /** One request running is to blame, as is one that had just begun; of others nobody knows. */
  private die(death: Death): void {
    this.death = death;
    running.delete(this);
    const only = this.waiting.size === 1 ? [...this.waiting.keys()][0] : undefined;
    const culprit = only ?? (death.signal === 'SIGKILL' ? undefined : this.newest?.id);
    for (const [id, { reject }] of this.waiting) reject(id === culprit ? crashed(death) : lost(death));
    this.waiting.clear();
  }
}

const running = new Set<DuckdbProcess>();
process.on('exit', () => {
  for (const one of running) one.kill();
});

function spawned({ around, env, openFilter }: DuckdbStart): ChildProcess {
  const [program = '', ...args] = around([process.execPath, ENTRY]);
  const filter = openFilter?.();
  try {
    const child = spawn(program, args, {
      // The terminal's signals are for the worker, which ends its processes itself.
      detached: true,
      // Paths in SQL are relative to the worker's folder; in a sandbox there is none.
      cwd: openFilter ? '/' : process.cwd(),
      env: { ...env, UV_THREADPOOL_SIZE: '16' },
      stdio: only(['ignore', 'ignore', 'pipe', 'pipe', filter ?? 'ignore']),
    });
    runInBackground(child.pid);
    return child;
  } finally {
    if (filter !== undefined) fs.closeSync(filter);
  }
}
