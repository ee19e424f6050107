/**
 * Watches an execution on a facade until its end: cancels it on Ctrl-C and at its time limit, prints its outcome.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { EnvironmentError, messageOf } from '../../../language/errors';
import { type LogLine } from '../../../telemetry/logs';
import { EXIT } from '../../errors';
import { duration, wantsColor } from '../../output/paint';
import { presentResult } from '../../output/present';
import { type Display, progressDisplay } from '../../output/progress-display';
import { type ResultDocument } from '../../output/result-document';
import { executionAt, type RemoteExecution, type StandingNow } from '../executions/execution';
import { unservedNotes } from '../unserved';
import { type RunOptions } from '../run-playbook';
import { onInterrupt } from '../signals';
import { showLines, SHOWN } from '../tail';
import { ask } from '../port/ask';
import { type FacadePort } from '../port';

/** The started execution. */
export interface Begun {
  readonly execution_id: string;
  readonly workflow_id: string;
  /** The file named in errors. */
  readonly playbook: string;
  /** It begins with steps that another execution ran. */
  readonly isRerun?: true;
}

const POLL_MS = 500;
/** Many runs end soon. */
const FIRST_POLL_MS = 100;
/** The delay before the next poll, as a multiple of the last response time. */
const LEISURE = 5;
/** Time for the last log lines to arrive: a facade itself waits more than a second for what workers are still to store. */
const TAIL_MS = 2_500;
/** Long enough for a facade to restart while an execution runs. */
const PATIENCE_MS = 60_000;

/** @returns the exit code */
export async function attend(
  server: FacadePort,
  begun: Begun,
  options: Pick<RunOptions, 'json' | 'timeoutMs'>,
): Promise<number> {
  const { execution_id: id } = begun;
  const started = Date.now();
  const display = progressDisplay(process.stderr, started, {
    id,
    server: server.url,
    isRerun: begun.isRerun,
  });
  const run = await executionAt(id, server);
  const cancel = (reason: string): Promise<unknown> =>
    run.steer('cancel', { reason, cascade: true }).catch(() => undefined);
  const off = onInterrupt((count) => {
    if (count > 1) process.exit(EXIT.interrupted);
    display.note('Cancelling; running tools are being stopped (Ctrl-C again leaves at once)');
    void cancel('interrupted');
  });
  const timer =
    options.timeoutMs === undefined
      ? undefined
      : setTimeout(
          () => void cancel(`not done after ${duration(options.timeoutMs ?? 0)} (--timeout)`),
          options.timeoutMs,
        );
  const tail = new AbortController();
  let last: LogLine | undefined;
  const show = (lines: readonly LogLine[]): void => {
    showLines(lines, display);
    last = lines.at(-1) ?? last;
  };
  const tailed = showTail(run, show, tail.signal);
  let document: ResultDocument;
  try {
    document = documentOf(begun, await ended(run, display));
    // The tail ends shortly after the execution, unless it printed faster than lines are shown.
    const rest = await Promise.race([tailed, sleep(TAIL_MS, 'it is longer', { ref: false })]);
    if (rest !== undefined) {
      tail.abort();
      const missing = await missingOf(server, id, last);
      if (missing?.length !== 0)
        display.note(`not all output is shown (${rest}): noetl-temporal logs ${id} --server ${server.url}`);
      showLines(missing ?? [], display);
    }
  } finally {
    tail.abort();
    clearTimeout(timer);
    off();
    display.end();
  }
  const color = wantsColor(process.stderr);
  await presentResult(document, {
    file: begun.playbook,
    json: options.json,
    color,
    elapsed: Date.now() - started,
  });
  return document.status === 'completed' ? EXIT.success : EXIT.failed;
}

/** @returns why lines may be missing; undefined if none is */
async function showTail(
  run: RemoteExecution,
  show: (lines: readonly LogLine[]) => void,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    for await (const lines of run.lines({ follow: true, signal })) show(lines);
    return undefined;
  } catch (error) {
    // Log output is secondary: the outcome is printed nevertheless.
    return messageOf(error);
  }
}

/** @param last the last line that was shown @returns those behind it; undefined if the facade does not have them. */
async function missingOf(
  server: FacadePort,
  id: string,
  last: LogLine | undefined,
): Promise<readonly LogLine[] | undefined> {
  const place = `/api/executions/${id}/logs?last=${SHOWN}`;
  const answer = await ask<{ lines: LogLine[] }>(server, place).catch(() => undefined);
  const text = JSON.stringify(last);
  const at = answer?.lines.findLastIndex((line) => JSON.stringify(line) === text) ?? -1;
  return answer?.lines.slice(at + 1);
}

async function ended(run: RemoteExecution, display: Display): Promise<StandingNow> {
  const tellUnserved = unservedNotes((line) => display.note(line));
  for (let pauseMs = FIRST_POLL_MS; ; pauseMs = Math.min(POLL_MS, 2 * pauseMs)) {
    const startedAt = performance.now();
    const standing = await patiently(() => run.status());
    if (standing.finished_at !== null) return standing;
    tellUnserved(standing.unserved);
    display.show(standing);
    // The response is derived from the history, which takes time if it is long.
    await sleep(Math.max(pauseMs, LEISURE * (performance.now() - startedAt)));
  }
}

/** A facade keeps no state of a run, so a brief outage changes nothing. */
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

function documentOf({ execution_id, workflow_id, playbook }: Begun, standing: StandingNow): ResultDocument {
  const { status, result, error, steps_executed, notes, started_at, finished_at } = standing;
  const isOurs = status === 'completed' || status === 'cancelled';
  return {
    execution_id,
    workflow_id,
    status: isOurs ? status : 'failed',
    result,
    error: error && { ...error, at: error.at && { ...error.at, file: playbook } },
    steps_executed,
    notes,
    started_at,
    finished_at,
  };
}
