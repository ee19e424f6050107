/** `POST /api/executions/{id}/analyze`: facts about a run for people and assistants; no model is called. */
import { z } from 'zod';
import { explain } from '../../../history';
import { findingsOf, promptOf, TaskTally } from '../../executions/analysis';
import { described } from '../../executions/described';
import { guiRows } from '../../executions/gui-rows';
import { readExecution } from '../../executions/recorded';
import { fullSummary } from '../../executions/summary';
import { isOver } from '../../executions/words';
import { ok, type Route, route } from '../../http/route';
import { type FacadeServices } from '../../services';
import { executionPath, pagesOf } from '../../executions/ids';

const bodySchema = z.object({
  max_events: z
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(2000)
    .meta({ description: 'Number of latest decisions in the prompt' }),
  event_sample_size: z.number().int().min(1).max(1000).default(200),
});

const record = z.record(z.string(), z.unknown());
const bundle = z
  .object({
    execution_id: z.string(),
    path: z.string(),
    status: z.string(),
    generated_at: z.iso.datetime(),
    summary: record,
    findings: z.array(
      z.object({
        severity: z.enum(['error', 'warning', 'info']),
        code: z.string(),
        message: z.string(),
        step: z.string().nullable(),
        recommendation: z.string(),
      }),
    ),
    recommendations: z.array(z.string()),
    cloud: record,
    playbook: record,
    event_sample: z.array(record),
    ai_prompt: z.string(),
  })
  .meta({ id: 'Analysis' });

const SHOWN_TASKS = 20;

export function analysis({ client }: FacadeServices): readonly Route[] {
  return [
    route('POST /api/executions/{id}/analyze', {
      scope: 'read',
      summary: 'Notable findings about an execution, from its history',
      params: executionPath,
      body: bodySchema,
      answers: ok('Facts, findings and recommendations', bundle),
      errors: [404, 502],
      async handle({ params: { id }, body: { max_events, event_sample_size } }) {
        const info = await described(client, id);
        const tally = new TaskTally();
        const rows = guiRows({});
        const read = await readExecution(client, id, (events) => {
          tally.take(events);
          rows.take(events);
        });
        const { loadedDataConverter: converter } = client.options;
        const explained = await explain(pagesOf(client, id), undefined, { converter });
        const summary = fullSummary(info, read, Date.now());
        const decisions = explained.decisions.slice(-max_events);
        const findings = findingsOf(read, explained.decisions, tally, explained.divergence?.message);
        const belongs = { catalog: summary.catalog_id, parent: summary.parent_execution_id };
        return {
          execution_id: id,
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
          event_sample: rows.newestFirst(belongs).slice(0, event_sample_size),
          ai_prompt: promptOf(read, findings, decisions),
        };
      },
    }),
  ];
}
