/**
 * Notable findings about an execution, from its history: facts and advice, no guesses. The shape is that of the
 * official server's analysis bundle.
 */
import { type CanonicalEvent, type ExplainedDecision } from '../../../history';
import { type ReadExecution } from './recorded';
import { taskPlaceIn } from '../../../language/plan';
import { duration } from '../../../language/plan/duration';

export interface AnalysisFinding {
  readonly severity: 'error' | 'warning' | 'info';
  /** Stable identifier. */
  readonly code: string;
  readonly message: string;
  readonly step: string | null;
  readonly recommendation: string;
}

interface TaskFacts {
  calls: number;
  failed: number;
  retries: number;
  /** Milliseconds. */
  total: number;
  longest: number;
  longestWait: number;
}

/** Aggregates task events. */
export class TaskTally {
  readonly counts: Record<string, number> = {};
  private readonly tasks = new Map<string, TaskFacts>();

  take(events: readonly CanonicalEvent[]): void {
    for (const event of events) {
      this.counts[event.event_type] = (this.counts[event.event_type] ?? 0) + 1;
      const task = taskOf(event);
      if (task === undefined) continue;
      const facts = this.factsOf(task);
      if (event.event_type === 'task.retrying') facts.retries += event.payload['page'] === undefined ? 1 : 0;
      else this.ended(facts, event);
    }
  }

  /** Slowest first. */
  get slowest(): readonly (readonly [string, TaskFacts])[] {
    return [...this.tasks].sort(([, a], [, b]) => b.total - a.total);
  }

  private ended(facts: TaskFacts, event: CanonicalEvent): void {
    const { scheduled_at, started_at } = event.meta;
    const took = event.duration_ms ?? 0;
    facts.calls += 1;
    facts.total += took;
    facts.longest = Math.max(facts.longest, took);
    if (event.event_type === 'task.failed') facts.failed += 1;
    if (scheduled_at !== undefined && started_at !== undefined)
      facts.longestWait = Math.max(facts.longestWait, Date.parse(started_at) - Date.parse(scheduled_at));
  }

  private factsOf(task: string): TaskFacts {
    let facts = this.tasks.get(task);
    if (!facts) {
      facts = { calls: 0, failed: 0, retries: 0, total: 0, longest: 0, longestWait: 0 };
      this.tasks.set(task, facts);
    }
    return facts;
  }
}

/** `load/store`; undefined for an event that neither ends nor retries a task. */
function taskOf({ event_type, task_run_id }: CanonicalEvent): string | undefined {
  if (!['task.done', 'task.failed', 'task.retrying'].includes(event_type)) return undefined;
  if (!task_run_id?.includes('~')) return task_run_id;
  const { step, task } = taskPlaceIn(task_run_id);
  return `${step}/${task}`;
}

/** A task that waits longer than this for a worker indicates too few workers. Milliseconds. */
const LONG_WAIT = 5_000;
/** A task that takes this fraction of the total time, and longer than `SLOW`, is reported as the bottleneck. */
const LARGE_PART = 0.5;
const SLOW = 10_000;

export function analysisFindings(
  read: ReadExecution,
  decisions: readonly ExplainedDecision[],
  tally: TaskTally,
  divergence: string | undefined,
): AnalysisFinding[] {
  const whole = (read.endedAt ?? Date.now()) - read.startedAt;
  const findings: AnalysisFinding[] = [];
  if (read.status === 'FAILED')
    findings.push({
      severity: 'error',
      code: 'EXECUTION_FAILED',
      message: read.error ?? 'the execution failed',
      step: read.state.failure?.step ?? null,
      recommendation: 'Fix the cause, then rerun from the failed step: earlier results are kept.',
    });
  for (const { summary, step } of decisions.filter(({ kind }) => kind === 'waiting'))
    findings.push({
      severity: 'warning',
      code: 'STEP_WAITS',
      message: summary,
      step,
      recommendation: 'Find the branch that has not reached the join; `explain` shows what each decided.',
    });
  for (const [task, { calls, failed, retries, total, longestWait }] of tally.slowest) {
    const step = task.split('/')[0]!;
    if (retries > 0)
      findings.push({
        severity: 'warning',
        code: 'TASK_RETRIED',
        message: `${task} was retried ${retries} times in ${calls} calls, of which ${failed} failed`,
        step,
        recommendation:
          'Check the errors of its first attempts: fixing their cause is cheaper than retrying.',
      });
    if (longestWait > LONG_WAIT)
      findings.push({
        severity: 'warning',
        code: 'TASK_QUEUED_LONG',
        message: `${task} waited ${duration(longestWait)} for a worker`,
        step,
        recommendation: 'Start more workers for its kind, or increase their concurrency.',
      });
    if (total > SLOW && total > LARGE_PART * whole)
      findings.push({
        severity: 'info',
        code: 'TASK_DOMINATES',
        message: `${task} took ${duration(total)} of ${duration(whole)} in ${calls} calls`,
        step,
        recommendation:
          'To make the playbook faster, start here: parallel iterations, fewer or larger calls.',
      });
  }
  if (divergence !== undefined)
    findings.push({
      severity: 'warning',
      code: 'HISTORY_DIVERGES',
      message: `this release cannot replay the history: ${divergence}`,
      step: null,
      recommendation: 'Inspect the execution with the release that ran it.',
    });
  return findings;
}

/** A prompt for an assistant, to accompany the playbook. */
export function promptOf(
  read: ReadExecution,
  findings: readonly AnalysisFinding[],
  decisions: readonly ExplainedDecision[],
): string {
  const lines = [
    `Execution ${read.id} of playbook ${read.plan.metadata.path} is ${read.status}${read.error ? `: ${read.error}` : ''}.`,
    '',
    'Findings:',
    ...findings.map(({ severity, message }) => `- ${severity}: ${message}`),
    '',
    'Its decisions, in order:',
    ...decisions.map(({ seq, summary }) => `${seq}. ${summary}`),
    '',
    'Explain what went wrong or could be improved, and which lines of the playbook to change.',
  ];
  return lines.join('\n');
}
