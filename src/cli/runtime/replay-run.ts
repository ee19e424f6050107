/** `replay`: checks a run's history against this release, with Temporal's replayer and with the engine. */
import { DeterminismViolationError } from '@temporalio/workflow';
import { type DataConverter } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { EngineError } from '../../engine';
import { Derivation, type HistoryEvent } from '../../history';
import { messageOf } from '../../errors';

import { NO_RUN_SPANS } from '../../tracing';
import { installRuntime, loadWorkflowBundle } from '../../worker';
import { EXIT } from '../errors';
import { paint, printable, wantsColor } from '../output/paint';
import { print } from '../output/say';
import { type RecordedRun } from './recorded-run';
import { withRecorded } from './with-recorded';
import { quietLog } from './session';

/** The first difference between a run and what this release would do. */
export interface ReplayDivergence {
  /** Which check found it: the engine names the command, Temporal's replayer the event. */
  readonly by: 'engine' | 'temporal';
  /** Temporal run in the chain, from 0. */
  readonly run: number;
  readonly history_event_id: number | null;
  readonly recorded: string | null;
  readonly asked: string | null;
  readonly message: string;
}

export interface ReplayReport {
  readonly ok: boolean;
  /** Temporal runs of the chain, and their history events. */
  readonly runs: number;
  readonly history_events: number;
  readonly events: number;
  readonly divergence?: ReplayDivergence;
}

interface ReplayOptions {
  readonly format: 'text' | 'json';
  readonly data?: string;
  /** The facade from which the history is read. */
  readonly server?: string;
}

/** @returns the exit code: 1 if this release cannot replay the history */
export async function replayRun(named: readonly string[], options: ReplayOptions): Promise<number> {
  installRuntime(quietLog());
  const report = await withRecorded(named, options, async (run) => {
    const chain: HistoryEvent[][] = [];
    for await (const page of run.pages()) {
      for (const event of page) {
        if (event.workflowExecutionStartedEventAttributes) chain.push([]);
        chain.at(-1)?.push(event);
      }
    }
    return await replay(chain, run);
  });
  await print(options.format === 'json' ? JSON.stringify(report, null, 2) : reportText(report));
  return report.ok ? EXIT.success : EXIT.failed;
}

async function replay(
  chain: readonly (readonly HistoryEvent[])[],
  { id, converter, dataConverter }: RecordedRun,
): Promise<ReplayReport> {
  const derivation = new Derivation({ workflowId: id, converter });
  let events = 0;
  let divergence: ReplayDivergence | undefined;
  for (const [run, history] of chain.entries()) {
    try {
      events += (await derivation.take(history)).length;
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      divergence = {
        by: 'engine',
        run,
        history_event_id: 1,
        recorded: null,
        asked: null,
        message: error.message,
      };
    }
    if (derivation.divergence) divergence ??= { by: 'engine', run, ...derivation.divergence };
    divergence ??= await byTemporal(history, run, id, dataConverter);
    if (divergence) break;
  }
  const history_events = chain.reduce((sum, history) => sum + history.length, 0);
  return {
    ok: !divergence,
    runs: chain.length,
    history_events,
    events,
    ...(divergence ? { divergence } : {}),
  };
}

async function byTemporal(
  events: readonly HistoryEvent[],
  run: number,
  id: string | undefined,
  dataConverter: DataConverter,
): Promise<ReplayDivergence | undefined> {
  const { workflowId } = events[0]?.workflowExecutionStartedEventAttributes ?? {};
  const { workflowBundle } = await loadWorkflowBundle();
  const options = { workflowBundle, replayName: `run ${run}`, dataConverter, sinks: NO_RUN_SPANS };
  try {
    await Worker.runReplayHistory(options, { events: [...events] }, workflowId || id || 'noetl-1');
    return undefined;
  } catch (error) {
    const message = readable(error);
    const found = /HistoryEvent\(id: (\d+)/.exec(messageOf(error))?.[1];
    const history_event_id = found === undefined ? null : Number(found);
    return { by: 'temporal', run, history_event_id, recorded: null, asked: null, message };
  }
}

/** The replayer's messages include advice for authors of workflow code. */
function readable(error: unknown): string {
  const text = messageOf(error);
  const core = /Nondeterminism error: ([^\n"]*)/.exec(text)?.[1];
  if (core !== undefined) return `the workflow code cannot replay the history: ${core.trim()}`;
  const kind =
    error instanceof DeterminismViolationError ? 'the workflow code cannot replay the history: ' : '';
  return `${kind}${text.split('\n')[0]}`;
}

function reportText({ ok, runs, history_events, events, divergence }: ReplayReport): string {
  const { green, red } = paint(wantsColor(process.stdout));
  const size = `${history_events} history events in ${runs} Temporal run${runs === 1 ? '' : 's'}, ${events} canonical events`;
  if (ok) return `${green('✓')} this release follows the history: ${size}`;
  const { by, run, message } = divergence!;
  const who = by === 'engine' ? 'the engine' : 'Temporal’s replayer';
  return [
    `${red('✗')} this release cannot replay the history (${size})`,
    `  found by ${who} in Temporal run ${run}: ${printable(message)}`,
    '  The run was executed by different code: let workers of the release that started it finish it, or reset it to a point before the difference.',
  ].join('\n');
}
