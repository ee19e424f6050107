/** A nats-server of one test, with JetStream in a temporary folder; the program is Debian's package `nats-server`. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort, isListening } from '../../src/temporal';
import { start } from './process';
import { until } from './until';

/** Optional, as the program is: it comes with the system, not with npm. */
const PACKAGES = ['@nats-io/transport-node', '@nats-io/jetstream'] as const;

function isInstalled(name: string): boolean {
  try {
    return Boolean(require.resolve(name));
  } catch {
    return false;
  }
}

export const HAS_NATS = PACKAGES.every(isInstalled) && spawnSync('nats-server', ['--version']).status === 0;

/** What tests read of a stream. */
export interface StreamReader {
  messages(): Promise<number>;
  message(seq: number): Promise<{ subject: string; header: { get(name: string): string }; json(): unknown }>;
  close(): Promise<void>;
}

export async function readStream(url: string, stream: string): Promise<StreamReader> {
  const [transport, jetstream] = (await Promise.all(PACKAGES.map((name) => import(name)))) as [
    { connect(options: object): Promise<{ close(): Promise<void> }> },
    { jetstreamManager(connection: unknown): Promise<{ streams: Streams }> },
  ];
  const connection = await transport.connect({
    servers: url,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 50,
  });
  // A server that has just come back loses requests of connections that are not quite there again.
  const read = async <T>(ask: (streams: Streams) => Promise<T>): Promise<T> => {
    const { answer } = await until(async () => ({
      answer: await ask((await jetstream.jetstreamManager(connection)).streams),
    }));
    return answer;
  };
  return {
    messages: async () => (await read((streams) => streams.info(stream))).state.messages,
    message: (seq) => read((streams) => streams.getMessage(stream, { seq })),
    close: () => connection.close(),
  };
}

interface Streams {
  info(stream: string): Promise<{ state: { messages: number } }>;
  getMessage(stream: string, at: { seq: number }): ReturnType<StreamReader['message']>;
}

export interface TestNats {
  readonly url: string;
  /** Ends it without a word, and starts it again on the same port with the same files. */
  kill(): Promise<void>;
  startAgain(): Promise<void>;
  stop(): Promise<void>;
}

export async function startNats(args: readonly string[] = ['-js']): Promise<TestNats> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-nats-'));
  const port = await freePort();
  const begin = async () => {
    const running = start('nats-server', ['-a', '127.0.0.1', '-p', String(port), '-sd', folder, ...args]);
    for (const deadline = Date.now() + 30_000; !(await isListening(port)) && Date.now() < deadline;)
      await new Promise((resolve) => setTimeout(resolve, 20));
    return running;
  };
  let running = await begin();
  const kill = async (): Promise<void> => {
    running.child.kill('SIGKILL');
    await running.finished;
  };
  return {
    url: `nats://127.0.0.1:${port}`,
    kill,
    startAgain: async () => void (running = await begin()),
    stop: async () => {
      await kill();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}
