/** A nats-server of one test, with JetStream in a temporary folder: the one on the PATH, else that of a wheel. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort, isListening } from '../../src/temporal/client';
import { Missing, present } from './present';
import { start } from './process';
import { programOf } from './python-servers';
import { until } from './until';

/** Optional dependencies. */
const PACKAGES = ['@nats-io/transport-node', '@nats-io/jetstream'] as const;

function isInstalled(name: string): boolean {
  try {
    return Boolean(require.resolve(name));
  } catch {
    return false;
  }
}

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

/** @throws Missing */
export async function startNats(args: readonly string[] = ['-js']): Promise<TestNats> {
  const absent = PACKAGES.find((name) => !isInstalled(name));
  if (absent)
    throw new Missing({ skipped: `${absent}, an optional dependency, is not installed`, extra: true });
  const program = present(await programOf('nats'));
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-nats-'));
  const port = await freePort();
  const begin = async () => {
    const running = start(program, ['-a', '127.0.0.1', '-p', String(port), '-sd', folder, ...args]);
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
