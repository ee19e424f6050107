/** Facts about a run for people and assistants. */
import { explainExecution } from '../../../../history';
import { analysisFindings, promptOf, TaskTally } from '../../executions/analysis';
import { fullSummary } from '../../executions/full-summary';
import { guiRows } from '../../executions/gui-rows';
import { readExecution } from '../../executions/recorded';
import { type ExecutionIdentity } from '../../executions/summary';
import { isOver } from '../../executions/words';
import { type HostReading } from '../../../reading/from-host';

export interface AnalysisAsked {
  readonly identity: ExecutionIdentity;
  /** Decisions in the prompt. */
  readonly decisions: number;
  /** Events in the sample. */
  readonly sample: number;
}

const SHOWN_TASKS = 20;

export async function analysisOf(reading: HostReading, request: AnalysisAsked): Promise<object> {
  const tally = new TaskTally();
  const rows = guiRows({ keep: request.sample });
  const read = await readExecution(reading, (events) => {
    tally.take(events);
    rows.take(events);
  });
  const { converter, progress } = reading;
  const explained = await explainExecution(reading.pages(), undefined, { converter, progress });
  const summary = fullSummary(request.identity, read, Date.now());
  const decisions = explained.decisions.slice(-request.decisions);
  const findings = analysisFindings(read, explained.decisions, tally, explained.divergence?.message);
  const belongs = { catalog: summary.catalog_id, parent: summary.parent_execution_id };
  return {
    execution_id: reading.id,
    path: summary.path,
    status: summary.status,
    generated_at: new Date().toISOString(),
    summary: {
      duration_seconds: summary.duration_seconds,
      duration_human: summary.duration_human,
      is_over: isOver(read.status),
      tasks_run: read.progress.tasks_run,
      retries: read.progress.retries,
      steps_executed: read.progress.steps_executed,
      event_counts: tally.counts,
      slowest_tasks: tally.slowest
        .slice(0, SHOWN_TASKS)
        .map(([task, { calls, failed, total, longest, longestWait }]) => ({
          task,
          calls,
          failed,
          total_ms: total,
          longest_ms: longest,
          longest_wait_ms: longestWait,
        })),
      decisions: decisions.length,
    },
    findings,
    recommendations: [...new Set(findings.map((finding) => finding.recommendation))],
    cloud: {},
    playbook: {
      path: summary.path,
      version: summary.version,
      catalog_id: summary.catalog_id,
      name: read.plan.metadata.name,
      steps: read.plan.steps.map((step) => step.name),
      digest: read.plan.digest,
    },
    event_sample: rows.newestFirst(belongs),
    ai_prompt: promptOf(read, findings, decisions),
  };
}
