/**
 * Processes of DuckDB that wait for work. One without a sandbox serves one database after another; one in a sandbox
 * serves one task, for which it has its database open beforehand, and others take its place.
 */
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { tasksFolder } from '../../../framework/results/files';
import { type Isolation, limitsOf } from '../../../framework/sandbox';
import { toolPackage } from '../../../framework/tool/optional-package';
import { ToolError } from '../../../framework/tool/outcome';
import { Connection, openDuckdb, rowsOf } from './connection';
import { besideWorker, inSandbox } from './place';
import { DuckdbProcess } from './process';

const IDLE_MS = 30_000;
/** Processes in sandboxes that are ready before their task comes. */
const SPARES = 2;
/** When others start after some were taken: a short task is done by then, and need not share its processor. */
const REFILL_MS = 50;
/** A process that has grown beyond this gives its memory back by ending, in bytes. */
const MAX_IDLE_RSS = 384 * 1024 * 1024;

/** A process in a sandbox, with an empty database open. */
interface Sandboxed {
  readonly process: DuckdbProcess;
  /** What the sandbox has as `FILES_INSIDE`, on the worker. */
  readonly files: string;
  /** Fulfilled when neither is left. */
  readonly end: Promise<void>;
}

interface Idle {
  readonly process: DuckdbProcess;
  readonly timer: NodeJS.Timeout;
}

let idle: Idle[] = [];
/** Starting, or started. */
let spares: { readonly sandbox: Promise<Sandboxed>; readonly timer: NodeJS.Timeout }[] = [];
let refill: NodeJS.Timeout | undefined;

/** @throws ToolError `PACKAGE_MISSING`, `DUCKDB_START` */
export async function unconfined(): Promise<DuckdbProcess> {
  await assertInstalled();
  for (let one = idle.pop(); one; one = idle.pop()) {
    clearTimeout(one.timer);
    if (one.process.isAlive) return one.process;
  }
  return start(() => new DuckdbProcess(besideWorker()));
}

/**
 * A process for one task, with its database.
 *
 * @param folder the task's files
 * @throws ToolError `PACKAGE_MISSING`, `SANDBOX_UNAVAILABLE`
 */
export async function sandboxed(level: Isolation, folder: string | undefined): Promise<DuckdbProcess> {
  await assertInstalled();
  const { process: child, files } = await nextSandboxed(level);
  // The sandbox has this very folder, and sees what comes into it.
  if (folder !== undefined)
    for (const name of await readdir(folder)) await rename(path.join(folder, name), path.join(files, name));
  return child;
}

async function nextSandboxed(level: Isolation): Promise<Sandboxed> {
  const spare = spares.shift();
  refill ??= setTimeout(() => {
    refill = undefined;
    while (spares.length < SPARES) keepSpare(level);
  }, REFILL_MS).unref();
  if (!spare) return newSandboxed(level);
  clearTimeout(spare.timer);
  const sandbox = await spare.sandbox;
  return sandbox.process.isAlive ? sandbox : newSandboxed(level);
}

function keepSpare(level: Isolation): void {
  const sandbox = newSandboxed(level);
  // It is reported by the task that gets it.
  sandbox.catch(() => undefined);
  const spare = { sandbox, timer: setTimeout(() => leave(), IDLE_MS).unref() };
  const leave = (): void => {
    spares = spares.filter((one) => one !== spare);
    void finish(sandbox);
  };
  spares.push(spare);
}

async function newSandboxed(level: Isolation): Promise<Sandboxed> {
  const files = await mkdtemp(path.join(tasksFolder(), 'duckdb-'));
  const removed = (): Promise<void> => rm(files, { recursive: true, force: true });
  try {
    const child = await start(() => new DuckdbProcess(inSandbox(files)), level);
    const end = child.whenEnded.then(removed);
    await warm(child);
    return { process: child, files, end };
  } catch (error) {
    await removed();
    throw error;
  }
}

/** What DuckDB does at its first statement is done before there is a task. */
async function warm(child: DuckdbProcess): Promise<void> {
  const { memoryMb, tmpMb } = limitsOf();
  // The sandbox has a temporary folder of its own, and is gone with the process.
  await openDuckdb(child, ':memory:', {
    temp_directory: '/tmp/duckdb',
    memory_limit: `${memoryMb}MB`,
    max_temp_directory_size: `${tmpMb}MB`,
  });
  const connection = await Connection.open(child);
  await connection.extract('select 1');
  for await (const _ of rowsOf(await connection.start(0, undefined)));
  await connection.close();
}

async function finish(sandbox: Promise<Sandboxed>): Promise<void> {
  const { process: child, end } = (await sandbox.catch(() => undefined)) ?? {};
  child?.keepsAlive(true);
  child?.kill();
  await end;
}

/** @param rss in bytes, as of now */
export function giveBack(child: DuckdbProcess, rss: number): void {
  if (!child.isAlive || rss > MAX_IDLE_RSS) return child.kill();
  const one = { process: child, timer: setTimeout(() => leave(), IDLE_MS).unref() };
  const leave = (): void => {
    idle = idle.filter((other) => other !== one);
    child.kill();
  };
  idle.push(one);
}

/** Ends all processes without work. */
export async function closeProcesses(): Promise<void> {
  for (const { process: child, timer } of idle.splice(0)) {
    clearTimeout(timer);
    child.kill();
  }
  clearTimeout(refill);
  refill = undefined;
  for (const { sandbox, timer } of spares.splice(0)) {
    clearTimeout(timer);
    await finish(sandbox);
  }
}

function assertInstalled(): Promise<string> {
  return toolPackage('duckdb', '@duckdb/node-api', async () => require.resolve('@duckdb/node-api'));
}

async function start(make: () => DuckdbProcess, level?: Isolation): Promise<DuckdbProcess> {
  const child = make();
  try {
    return await child.ready();
  } catch (error) {
    child.kill();
    const { message: why } = error as Error;
    if (level === undefined)
      throw new ToolError({
        kind: 'exception',
        code: 'DUCKDB_START',
        message: `duckdb: its process did not start: ${why}`,
        retryable: true,
      });
    throw new ToolError({
      kind: 'exception',
      code: 'SANDBOX_UNAVAILABLE',
      message: `duckdb: the sandbox ${level} could not be made: ${why}; the SQL was not run (docs/isolation.md)`,
    });
  }
}
