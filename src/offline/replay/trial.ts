/**
 * Tries the pending workflow task of a workflow alone, in a process of its own: what ends or blocks a worker, ends or
 * blocks this process. Other work of a worker cannot be the cause there, and workers that tried it leave only an attempt
 * count behind.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import os from 'node:os';
import path from 'node:path';
import { temporal } from '@temporalio/proto';
import { messageOf } from '../../language/errors';
import { type HistoryEvent } from '../../history';
import { isHopeless } from '../../temporal/client';
import { type TrialReport } from './trial-process';

/** The built file when running from TypeScript, which Node cannot load. */
const ENTRY = path.join(
  path.extname(__filename) === '.js'
    ? __dirname
    : path.resolve(__dirname, '../../../dist/src/offline/replay'),
  'trial-process.js',
);

export type TrialVerdict =
  /** It would succeed, so the cause lies elsewhere. */
  | { readonly kind: 'succeeds' }
  /** It exceeds what a worker can do, and will whenever it is tried. */
  | { readonly kind: 'hopeless'; readonly why: string }
  /** It fails for a reason that is temporary or could not be determined. */
  | { readonly kind: 'waits'; readonly why: string };

export interface TrialOptions {
  /** Milliseconds; an honest history of fifty thousand events takes a minute on a busy machine. */
  readonly limitMs?: number;
  /** File of the workflow code; default: this release's. */
  readonly bundle?: string;
}

const LIMIT_MS = 120_000;
/** Honest executions are far below: their state is limited to 64 MiB. */
const HEAP_MB = 1024;
/** Below the container's memory limit, so that V8 reports why it ends. */
const SHARE_OF_MEMORY = 0.6;

/** @param events of the latest Temporal run, decoded (`unpackPayloads`) */
export async function tryAlone(
  workflowId: string,
  events: readonly HistoryEvent[],
  { limitMs = LIMIT_MS, bundle }: TrialOptions = {},
): Promise<TrialVerdict> {
  const history = temporal.api.history.v1.History.encode({ events: upToPending(events) }).finish();
  const args = [ENTRY, workflowId, ...(bundle === undefined ? [] : [bundle])];
  const child = spawn(process.execPath, [`--max-old-space-size=${heapMb()}`, ...args], {
    stdio: ['pipe', 'pipe', 'ignore'],
    // Nothing from this process's environment is needed.
    env: { PATH: process.env['PATH'] ?? '', TMPDIR: os.tmpdir(), NODE_ENV: process.env['NODE_ENV'] },
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stdin.on('error', () => undefined).end(history);
  let isOverdue = false;
  const timer = setTimeout(() => {
    isOverdue = true;
    child.kill('SIGKILL');
  }, limitMs);
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    if (isOverdue) return { kind: 'waits', why: `trying it alone took longer than ${limitMs / 1000} s` };
    return verdictOf(output, code, signal);
  } catch (error) {
    return { kind: 'waits', why: `it could not be tried alone: ${messageOf(error)}` };
  } finally {
    clearTimeout(timer);
  }
}

/** What came after the pending workflow task was given to a worker is not part of it. */
function upToPending(events: readonly HistoryEvent[]): HistoryEvent[] {
  const last = events.findLastIndex((event) => event.workflowTaskStartedEventAttributes);
  return events.slice(0, last + 1);
}

function heapMb(): number {
  const available = process.constrainedMemory?.() || os.totalmem();
  return Math.floor(Math.min(HEAP_MB, (SHARE_OF_MEMORY * Math.min(available, os.totalmem())) / 2 ** 20));
}

/** The last thing that the process reported. */
function reportIn(output: string): TrialReport | undefined {
  const line = output.split('\n').findLast((one) => one.startsWith('{'));
  return line === undefined ? undefined : (JSON.parse(line) as TrialReport);
}

/** The error of the workflow task, as the SDK prints it in Rust's debug format, between codes for colors. */
function failureIn(output: string): string | undefined {
  const quoted = /Failing workflow task.*?message: ("(?:[^"\\]|\\.)*")/.exec(output)?.[1];
  try {
    return quoted === undefined ? undefined : (JSON.parse(quoted) as string);
  } catch {
    return quoted;
  }
}

/** V8 and Node end the process by these when memory is exhausted, or an interrupt went wrong. */
const CRASHES = ['SIGABRT', 'SIGSEGV', 'SIGTRAP', 'SIGILL', 'SIGBUS'];
/** The same, where a shell reports them. */
const CRASH_CODES = [132, 133, 134, 135, 139];

function verdictOf(output: string, code: number | null, signal: string | null): TrialVerdict {
  const last = reportIn(output);
  const why = failureIn(output) ?? (last?.type === 'failed' ? last.message : undefined);
  if (why !== undefined) return { kind: isHopeless(why) ? 'hopeless' : 'waits', why };
  if (last?.type === 'ended') return { kind: 'succeeds' };
  const how = signal ?? `exit code ${code}`;
  const hasCrashed = (signal !== null && CRASHES.includes(signal)) || CRASH_CODES.includes(code ?? 0);
  return last?.type === 'began' && hasCrashed
    ? { kind: 'hopeless', why: `it ends the process that runs it (${how})` }
    : { kind: 'waits', why: `the process that tried it alone ended (${how})` };
}
