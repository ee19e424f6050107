/** The process of `tryAlone`: replays a history, including its last workflow task, and prints the outcome. */
import fs from 'node:fs';
import { type Logger } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { Runtime, Worker } from '@temporalio/worker';
import { ENDLESS_WORKFLOW_TASK } from '../../temporal/client';
import { NO_RUN_SPANS } from '../../telemetry/tracing';
import { loadWorkflowBundle } from '../../temporal/worker';

export type TrialReport =
  /** `ended`: the history was replayed; how its last task ended is known from what the SDK printed. */
  { readonly type: 'began' | 'ended' } | { readonly type: 'failed'; readonly message: string };

/** Synchronous, because this process may end before its streams are flushed. */
function report(one: TrialReport): void {
  fs.writeSync(1, `${JSON.stringify(one)}\n`);
}

/** Of one workflow task: Temporal waits ten seconds for its answer, on whatever machine. */
const TASK_SECONDS = 12;
const LOOK_MS = 500;

/** Ends this process when one workflow task, without the replay of those before it, uses too much processor time. */
class Watch {
  private before: NodeJS.CpuUsage | undefined;

  readonly note = (message: string): void => {
    if (message.startsWith('Got workflow activation')) this.before = process.cpuUsage();
    if (message.startsWith('Completed activation')) this.before = undefined;
  };

  start(): void {
    setInterval(() => {
      if (!this.before) return;
      const { user, system } = process.cpuUsage(this.before);
      if (user + system < TASK_SECONDS * 1e6) return;
      report({ type: 'failed', message: `${ENDLESS_WORKFLOW_TASK} ${TASK_SECONDS} s of processor time` });
      // An orderly exit would wait for the thread.
      process.kill(process.pid, 'SIGKILL');
    }, LOOK_MS).unref();
  }
}

async function main(workflowId: string, bundle: string | undefined): Promise<void> {
  preferredByTheKernel();
  const { events } = temporal.api.history.v1.History.decode(fs.readFileSync(0));
  const watch = new Watch();
  const { note } = watch;
  const logger: Logger = {
    log: (_level, message) => note(message),
    trace: note,
    debug: note,
    info: note,
    warn: note,
    error: note,
  };
  // The replayer does not report how the last workflow task failed, but the SDK logs it before responding to the task.
  Runtime.install({ logger, telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' } } } });
  const workflowBundle =
    bundle === undefined ? (await loadWorkflowBundle()).workflowBundle : { codePath: bundle };
  watch.start();
  report({ type: 'began' });
  try {
    // In a thread, with the time limit of a worker: by default, replayers have neither, for debuggers.
    const options = { workflowBundle, sinks: NO_RUN_SPANS, debugMode: false };
    await Worker.runReplayHistory(options, { events }, workflowId);
    report({ type: 'ended' });
  } catch (error) {
    report({ type: 'failed', message: shortened(error) });
  }
  process.exit(0);
}

function shortened(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 1000);
}

/** If memory runs out, this process ends, and not the one that started it. */
function preferredByTheKernel(): void {
  try {
    fs.writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Not Linux.
  }
}

void main(process.argv[2] ?? 'noetl-1', process.argv[3]).catch((error: unknown) => {
  report({ type: 'failed', message: shortened(error) });
  process.exit(1);
});
