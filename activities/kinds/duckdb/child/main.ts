/**
 * The process that DuckDB runs in, started by its worker (process/process.ts): it answers the worker's requests until
 * the channel, descriptor 3, is closed. Whatever a statement does to this process, the worker lives on.
 */
import fs from 'node:fs';
import net from 'node:net';
import { DuckDBInstance } from '@duckdb/node-api';
import { DuckdbFrameReader, sendFrame } from '../process/frames';
import { Refused } from './refused';
import { type SessionAnswer, DuckdbSession } from './session';

type Request = Readonly<Record<string, unknown>>;

// Where memory runs out, this process is the one to end, not its worker.
try {
  fs.writeFileSync('/proc/self/oom_score_adj', '800');
} catch {
  // Not on this system.
}

const channel = new net.Socket({ fd: 3, readable: true, writable: true });
// Not `exit`: Node would wait for a query that runs in a thread.
channel.on('close', () => process.kill(process.pid, 'SIGKILL')).on('error', () => undefined);

const sessions = new Map<unknown, DuckdbSession>();
let instance: DuckDBInstance | undefined;

async function open({ database, config }: Request): Promise<SessionAnswer> {
  instance = await DuckDBInstance.create(database as string, config as Record<string, string>);
  return {};
}

function close(): SessionAnswer {
  for (const session of sessions.values()) session.close();
  sessions.clear();
  instance?.closeSync();
  instance = undefined;
  return { meta: { rss: process.memoryUsage.rss() } };
}

async function answerTo(request: Request, text: string): Promise<SessionAnswer> {
  const { op, session: id } = request;
  if (op === 'open') return open(request);
  if (op === 'close') return close();
  if (op === 'connect') {
    sessions.set(id, new DuckdbSession(await instance!.connect()));
    return {};
  }
  const session = sessions.get(id)!;
  if (op !== 'disconnect') return session.answer(request, text);
  sessions.delete(id);
  session.close();
  return {};
}

async function handle(request: Request, text: string): Promise<void> {
  const { id, op, session } = request;
  if (op === 'interrupt') return sessions.get(session)?.interrupt();
  try {
    const answer = await answerTo(request, text);
    sendFrame(channel, { id, ...answer.meta }, answer.text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    sendFrame(channel, {
      id,
      error: { message, ...(error instanceof Refused && { code: error.code, more: error.more }) },
    });
  }
}

const reader = new DuckdbFrameReader();
channel.on('data', (piece) => {
  for (const { meta, text } of reader.push(piece)) void handle(meta, text);
});
sendFrame(channel, { ready: true });
