/**
 * Processes of DuckDB that wait for work. One without a sandbox serves one database after another; one in a sandbox
 * serves one task, and another takes its place beforehand.
 */
import { type Isolation } from '../../../framework/sandbox';
import { optionalPackage } from '../../../framework/tool/optional-package';
import { ToolError } from '../../../framework/tool/outcome';
import { besideWorker, inSandbox } from './place';
import { DuckdbProcess } from './process';

const IDLE_MS = 30_000;
/** Processes in sandboxes that are ready before their task comes. */
const SPARES = 2;
/** A process that has grown beyond this gives its memory back by ending, in bytes. */
const MAX_IDLE_RSS = 384 * 1024 * 1024;

interface Idle {
  readonly process: DuckdbProcess;
  readonly timer: NodeJS.Timeout;
}

let idle: Idle[] = [];
/** Starting, or started. */
let spares: { readonly process: Promise<DuckdbProcess>; readonly timer: NodeJS.Timeout }[] = [];

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
 * A process for one task.
 *
 * @param folder the task's files
 * @throws ToolError `PACKAGE_MISSING`, `SANDBOX_UNAVAILABLE`
 */
export async function sandboxed(level: Isolation, folder: string | undefined): Promise<DuckdbProcess> {
  await assertInstalled();
  const begin = (): Promise<DuckdbProcess> => start(() => new DuckdbProcess(inSandbox(folder)), level);
  if (folder !== undefined) return begin();
  const spare = spares.shift();
  while (spares.length < SPARES) keepSpare(begin);
  if (!spare) return begin();
  clearTimeout(spare.timer);
  const process = await spare.process;
  return process.isAlive ? process : begin();
}

function keepSpare(begin: () => Promise<DuckdbProcess>): void {
  const process = begin();
  // It is reported by the task that gets it.
  process.catch(() => undefined);
  const spare = { process, timer: setTimeout(() => leave(), IDLE_MS).unref() };
  const leave = (): void => {
    spares = spares.filter((one) => one !== spare);
    void process.then(
      (one) => one.kill(),
      () => undefined,
    );
  };
  spares.push(spare);
}

/** @param rss in bytes, as of now */
export function giveBack(process: DuckdbProcess, rss: number): void {
  if (!process.isAlive || rss > MAX_IDLE_RSS) return process.kill();
  const one = { process, timer: setTimeout(() => leave(), IDLE_MS).unref() };
  const leave = (): void => {
    idle = idle.filter((other) => other !== one);
    process.kill();
  };
  idle.push(one);
}

/** Ends all processes without work. */
export async function closeProcesses(): Promise<void> {
  for (const { process, timer } of idle.splice(0)) {
    clearTimeout(timer);
    process.kill();
  }
  for (const { process, timer } of spares.splice(0)) {
    clearTimeout(timer);
    (await process.catch(() => undefined))?.kill();
  }
}

function assertInstalled(): Promise<string> {
  return optionalPackage('duckdb', '@duckdb/node-api', async () => require.resolve('@duckdb/node-api'));
}

async function start(make: () => DuckdbProcess, level?: Isolation): Promise<DuckdbProcess> {
  const process = make();
  try {
    return await process.ready();
  } catch (error) {
    process.kill();
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
