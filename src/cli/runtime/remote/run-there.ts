/** `run … --server URL`: an execution at a facade, watched to its end. */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Json } from '../../../plan';
import { EnvironmentError } from '../../../temporal';
import { type FacadeAddress } from '../../../worker';
import { EXIT, UsageError } from '../../errors';
import { readPayload } from '../../input/payload';
import { printable } from '../../output/paint';
import { documentError, type ResultDocument } from '../../output/result-document';
import { print } from '../../output/say';
import { onInterrupt } from '../signals';
import { askServer, serverOf } from './facade-client';
import { registerFiles } from './register-files';

export interface RunThereOptions {
  readonly server: string;
  readonly payload?: string;
  readonly set?: readonly string[];
  readonly json?: boolean;
  /** Milliseconds after which the execution is cancelled. */
  readonly timeoutMs?: number;
}

interface Started {
  readonly execution_id: string;
  readonly workflow_id: string;
  readonly path: string;
  readonly version: number;
}

interface Detail {
  readonly status: 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'RUNNING' | 'PAUSED';
  readonly start_time: string;
  readonly end_time: string | null;
  readonly result: Json;
}

const POLL_MS = 500;
/** A facade that restarts while an execution runs is back by then. */
const PATIENCE_MS = 60_000;

/**
 * Runs a file, which is registered first, or what the catalog has under a path.
 *
 * @returns the exit code
 */
export async function runThere(name: string, options: RunThereOptions): Promise<number> {
  const server = serverOf(options.server);
  const workload = readPayload(options.payload, options.set);
  const reference = fs.existsSync(name) ? await registered(server, name) : { path: name };
  // A request whose answer is lost is repeated: the key makes it the same execution.
  const key = { 'idempotency-key': randomUUID() };
  const submit = (): Promise<Started> =>
    askServer(server, '/api/execute', { method: 'POST', body: { ...reference, workload }, headers: key });
  const started = await submit().catch((error: unknown) => {
    if (!(error instanceof EnvironmentError) || error.code !== 'FACADE_FAILED') throw error;
    return patiently(submit);
  });
  const { execution_id: id, path, version } = started;
  process.stderr.write(printable(`${path}, version ${version}: execution ${id} at ${server.url}`) + '\n');
  const cancel = (reason: string): Promise<unknown> =>
    askServer(server, `/api/executions/${id}/cancel`, {
      method: 'POST',
      body: { reason, cascade: true },
    }).catch(() => undefined);
  const off = onInterrupt((count) => {
    if (count > 1) process.exit(EXIT.interrupted);
    void cancel('interrupted');
  });
  const timer =
    options.timeoutMs === undefined
      ? undefined
      : setTimeout(() => void cancel('--timeout'), options.timeoutMs);
  try {
    const document = await documentOf(server, started, await ended(server, id));
    await print(options.json ? JSON.stringify(document, null, 2) : summary(document));
    return document.status === 'completed' ? EXIT.success : EXIT.failed;
  } finally {
    clearTimeout(timer);
    off();
  }
}

async function registered(server: FacadeAddress, file: string): Promise<{ catalog_id: string }> {
  const [outcome] = await registerFiles(server, [file]);
  if (outcome?.catalog_id) return { catalog_id: outcome.catalog_id };
  throw new UsageError(`${file}: ${outcome?.error ?? 'was not registered'}`);
}

async function ended(server: FacadeAddress, id: string): Promise<Detail> {
  for (;;) {
    const detail = await patiently(() => askServer<Detail>(server, `/api/executions/${id}?page_size=10`));
    if (detail.status !== 'RUNNING' && detail.status !== 'PAUSED') return detail;
    await sleep(POLL_MS);
  }
}

/** A facade keeps no state of a run: one that is away for a moment changes nothing. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isWorthIt = error instanceof EnvironmentError && error.code !== 'FACADE_DENIED';
      if (!isWorthIt || Date.now() > deadline) throw error;
      await sleep(POLL_MS);
    }
  }
}

async function documentOf(server: FacadeAddress, started: Started, detail: Detail): Promise<ResultDocument> {
  const { execution_id, workflow_id, path, version } = started;
  const state = await patiently(() =>
    askServer<{ executed: string[]; failure: Record<string, unknown> | null }>(
      server,
      `/api/executions/${execution_id}/state`,
    ),
  );
  return {
    execution_id,
    workflow_id,
    status: detail.status.toLowerCase() as ResultDocument['status'],
    result: detail.result ?? null,
    error: state.failure ? documentError(state.failure, `catalog://${path}@${version}`) : null,
    steps_executed: state.executed,
    started_at: detail.start_time,
    finished_at: detail.end_time,
  };
}

function summary({ status, result, error }: ResultDocument): string {
  if (!error) return `${status}\n${JSON.stringify(result, null, 2)}`;
  const where = [error.step, error.task].filter(Boolean).join('/');
  return printable(`${status}: ${where ? `${where}: ` : ''}${error.message} [${error.code}]`);
}
