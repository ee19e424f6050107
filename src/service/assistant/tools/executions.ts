/** Tools that read executions, as the REST API and the command line show them. */
import { z } from 'zod';
import { Alignment, type CanonicalEvent, Derivation, eventStream } from '../../../history';
import { CodedError } from '../../../language/errors';
import { compact, secondsOf } from '../../../language/plan';
import { type AssistantReach, type RecordedSource } from '../reach';
import { assistantTool, FIELDS } from '../tool';

const { execution } = FIELDS;
const READS = { scope: 'read', harmless: true } as const;
const step = z.string().max(300).optional().describe('Only of this step');

/** What lists and verification select. */
export const RUN_FILTER = {
  path: z.string().max(500).optional().describe('Of the playbook; `etl/*` for all below etl'),
  status: z
    .string()
    .max(100)
    .optional()
    .describe('running, completed, failed, cancelled, skipped; several with commas'),
  since: z
    .string()
    .max(40)
    .optional()
    .describe('Started since then: 2h, 30d, or a time like 2026-11-26T08:00:00Z'),
} as const;

export const executionTools = [
  assistantTool({
    name: 'list_playbooks',
    ...READS,
    description: 'The playbooks here: paths, versions, what their authors say of them.',
    input: z.object({ page: z.int().min(1).default(1) }),
    rest: 'the next `page`',
    run: async ({ page }, reach) =>
      reach.hasCatalog ? await catalogPage(reach, page) : await reach.playbooks(),
  }),
  assistantTool({
    name: 'read_playbook',
    ...READS,
    description: 'The text of a playbook.',
    input: z.object({ path: z.string().min(1).max(600), version: z.int().min(1).optional() }),
    async run({ path, version }, reach) {
      if (version === undefined) return (await reach.playbook(path)).text;
      const body = { path, version };
      return (await reach.ask<{ content: string }>('/api/catalog/resource', { method: 'POST', body }))
        .content;
    },
  }),
  assistantTool({
    name: 'list_runs',
    ...READS,
    description: 'Executions, newest first, with status, times and why they failed.',
    input: z.object({ ...RUN_FILTER, most: z.int().min(1).max(200).default(20) }),
    rest: 'a narrower filter, or fewer with `most`',
    run: async ({ most, ...filter }, reach) => ({ runs: await selectedRuns(reach, filter, most) }),
  }),
  assistantTool({
    name: 'status',
    ...READS,
    description:
      'How an execution stands or how it ended: status, result or error with its place, steps, variables.',
    input: z.object({ execution }),
    run: (input, reach) => ofExecution(reach, input.execution, 'progress'),
  }),
  assistantTool({
    name: 'events',
    ...READS,
    description:
      'What an execution decided, in order: canonical events. With `search`: those whose type or ids contain a text.',
    input: z.object({
      execution,
      after: z.int().min(0).default(0).describe('Those after the event of this seq'),
      most: z.int().min(1).max(1000).default(100),
      search: z.string().max(300).optional(),
      failed: z.boolean().default(false).describe('Only events of failures'),
    }),
    rest: '`after`: the seq of the last event shown, or a smaller `most`',
    run: ({ execution: id, after, most, search = '', failed }, reach) =>
      ofExecution(reach, id, 'events/search', {
        text: search,
        after,
        count: most,
        ...(failed && { failed }),
      }),
  }),
  assistantTool({
    name: 'explain',
    ...READS,
    description:
      'Why an execution did what it did: each decision with its condition, the values in it, and the line of the playbook. Begin here with a run that failed.',
    input: z.object({
      execution,
      step,
      at: z.int().min(1).optional().describe('The decision at the event of this seq, or the last before it'),
      after: z.int().min(0).optional().describe('A page: decisions after this event'),
    }),
    rest: '`step`, or `after`: the seq of the last decision shown',
    run: ({ execution: id, ...about }, reach) => ofExecution(reach, id, 'explanation', about),
  }),
  assistantTool({
    name: 'state_at',
    ...READS,
    description:
      'The whole state of an execution after an event, or now: workload, variables, results, what is under way.',
    input: z.object({
      execution,
      at: z.int().min(1).optional().describe('The seq of an event; default now'),
    }),
    rest: '`render` with the names of a value, or `status`',
    run: ({ execution: id, at }, reach) => ofExecution(reach, id, 'state', { at }),
  }),
  assistantTool({
    name: 'logs',
    ...READS,
    description: 'What the tasks of an execution printed, and their errors.',
    input: z.object({
      execution,
      step,
      last: z.int().min(1).max(2000).default(200).describe('So many lines from the end'),
    }),
    rest: '`step`, or fewer with `last`',
    run: ({ execution: id, ...about }, reach) => ofExecution(reach, id, 'logs', about),
  }),
  assistantTool({
    name: 'diff',
    ...READS,
    description: 'What two executions did differently: inputs, outcomes, decisions, variables, timing.',
    input: z.object({ a: execution, b: execution }),
    run: ({ a, b }, reach) =>
      reach.history(a, (first) => reach.history(b, (second) => compared(first, second))),
  }),
] as const;

function catalogPage(reach: AssistantReach, page: number): Promise<{ readonly entries: readonly object[] }> {
  return reach.ask('/api/catalog/list', { method: 'POST', body: { latest: true, page, page_size: 100 } });
}

/** The first of them, where there are many. */
export async function listedPlaybooks(reach: AssistantReach): Promise<readonly object[]> {
  return reach.hasCatalog ? (await catalogPage(reach, 1)).entries : await reach.playbooks();
}

/** @throws CodedError as `ask` */
async function ofExecution(
  reach: AssistantReach,
  id: string,
  what: string,
  about: Readonly<Record<string, string | number | boolean | undefined>> = {},
): Promise<unknown> {
  const query = new URLSearchParams(
    Object.entries(about).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  );
  return await reach.ask(`/api/executions/${encodeURIComponent(id)}/${what}?${query.toString()}`);
}

/** A row of the list of executions. */
export interface ListedRun {
  readonly execution_id: string;
}

export async function selectedRuns(
  reach: AssistantReach,
  {
    since,
    ...filter
  }: {
    readonly path?: string | undefined;
    readonly status?: string | undefined;
    readonly since?: string | undefined;
  },
  most: number,
): Promise<readonly ListedRun[]> {
  const query = new URLSearchParams({ page_size: String(most), ...compact(filter) });
  if (since !== undefined) query.set('started_after', momentOf(since));
  return await reach.ask(`/api/executions?${query.toString()}`);
}

async function compared(a: RecordedSource, b: RecordedSource): Promise<object> {
  const alignment = new Alignment();
  const events = { a: eventsOf(a), b: eventsOf(b) };
  for (let side = alignment.next; side; side = alignment.next) {
    const { done, value } = await events[side].next();
    alignment.take(side, done ? undefined : value);
  }
  return alignment.comparison();
}

function eventsOf({ pages, converter }: RecordedSource): AsyncIterator<readonly CanonicalEvent[], void> {
  const events = eventStream(pages(), new Derivation({ converter, bodies: true }));
  return events[Symbol.asyncIterator]() as AsyncIterator<readonly CanonicalEvent[], void>;
}

/** @throws CodedError `TIME` */
function momentOf(since: string): string {
  const seconds = secondsOf(since);
  const at = seconds === undefined ? Date.parse(since) : Date.now() - seconds * 1000;
  if (Number.isFinite(at) && at > 0) return new Date(at).toISOString();
  throw new CodedError(
    'TIME',
    `since: ${since} is neither a duration such as 2d nor a time such as 2026-11-26T08:00:00Z`,
  );
}
