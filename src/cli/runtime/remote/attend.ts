/** An execution at a facade, watched to its end: cancelled by Ctrl-C and by its time limit, printed when it is over. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Note } from '../../../engine';
import { documentError } from '../../../history/document-error';
import { type Json } from '../../../plan';
import { EnvironmentError } from '../../../errors';
import { type FacadeAddress } from '../../../worker';
import { EXIT } from '../../errors';
import { printable } from '../../output/paint';
import { type ResultDocument } from '../../output/result-document';
import { print } from '../../output/say';
import { onInterrupt } from '../signals';
import { askServer } from './facade-client';

/** What began there. */
export interface Begun {
  readonly execution_id: string;
  readonly workflow_id: string;
  /** What errors name as their file. */
  readonly playbook: string;
}

export interface AttendOptions {
  readonly json?: boolean;
  /** Milliseconds after which the execution is cancelled. */
  readonly timeoutMs?: number;
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

/** @returns the exit code */
export async function attend(server: FacadeAddress, begun: Begun, options: AttendOptions): Promise<number> {
  const { execution_id: id } = begun;
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
    const document = await documentOf(server, begun, await ended(server, id));
    await print(options.json ? JSON.stringify(document, null, 2) : summary(document));
    return document.status === 'completed' ? EXIT.success : EXIT.failed;
  } finally {
    clearTimeout(timer);
    off();
  }
}

async function ended(server: FacadeAddress, id: string): Promise<Detail> {
  for (;;) {
    const detail = await patiently(() => askServer<Detail>(server, `/api/executions/${id}?page_size=10`));
    if (detail.status !== 'RUNNING' && detail.status !== 'PAUSED') return detail;
    await sleep(POLL_MS);
  }
}

/** A facade keeps no state of a run: one that is away for a moment changes nothing. */
export async function patiently<T>(ask: () => Promise<T>): Promise<T> {
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

async function documentOf(server: FacadeAddress, begun: Begun, detail: Detail): Promise<ResultDocument> {
  const { execution_id, workflow_id, playbook } = begun;
  const state = await patiently(() =>
    askServer<{ executed: string[]; failure: Record<string, unknown> | null; notes?: { kept: Note[] } }>(
      server,
      `/api/executions/${execution_id}/state`,
    ),
  );
  return {
    execution_id,
    workflow_id,
    status: detail.status.toLowerCase() as ResultDocument['status'],
    result: detail.result ?? null,
    error: state.failure ? documentError(state.failure, playbook) : null,
    steps_executed: state.executed,
    notes: state.notes?.kept ?? [],
    started_at: detail.start_time,
    finished_at: detail.end_time,
  };
}

function summary({ status, result, error }: ResultDocument): string {
  if (!error) return `${status}\n${JSON.stringify(result, null, 2)}`;
  const where = [error.step, error.task].filter(Boolean).join('/');
  return printable(`${status}: ${where ? `${where}: ` : ''}${error.message} [${error.code}]`);
}
