/** What may be wrong, one check a kind: each looks at so much only, and says so where it cannot know. */
import { type Client, type ScheduleSummary } from '@temporalio/client';
import { type z } from 'zod';
import { messageOf } from '../../../language/errors';
import { duration } from '../../../language/plan/duration';
import {
  awaitedOf,
  executionIdIn,
  executionQuery,
  failedStarts,
  listVisible,
  NOETL_PLAYBOOK,
  reportedWorkflows,
  startErrorOf,
  troubleOf,
} from '../../../temporal/client';
import { type Database } from '../../store';
import { TriggerStore } from '../../triggers';
import { type problemSchema } from '../documents/operations';
import { queues } from '../workers/queues';
import { type RecentRuns, type RunSources } from './recent';
import { type TablesStand } from './tables';

export type Problem = z.input<typeof problemSchema>;

export interface Around extends RunSources {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly since: number;
  /** The store, whether or not a projection follows. */
  readonly store: Pick<Database, 'rows'> | undefined;
  readonly tables: TablesStand | undefined;
  readonly recent: RecentRuns;
  readonly schedules: readonly ScheduleSummary[];
}

/** One thing that is amiss: those with the same title are told together. */
interface Finding {
  readonly title: string;
  readonly detail?: string | null | undefined;
  /** Milliseconds since the epoch. */
  readonly at?: number | undefined;
  /** Of the execution. */
  readonly id?: string;
  /** How many, if one finding stands for several. */
  readonly count?: number;
  /** The page of the console that has more like it; of a single execution its own. */
  readonly link: string;
  readonly command: string;
}
type Check = (around: Around) => Promise<readonly Finding[]> | readonly Finding[];

/** Why a check cannot tell. */
class NotKnown extends Error {}

const NO_PROJECTION = 'no projection follows: run `noetl-temporal project`';
/** Of what is looked at one by one. */
const MOST = 200;
const MOST_GROUPS = 20;

function orNotKnown<T>(value: T | undefined, why: string): T {
  if (value !== undefined) return value;
  throw new NotKnown(why);
}

function storeOf({ store }: Around): Pick<Database, 'rows'> {
  return orNotKnown(store, 'no database is named here: set DATABASE_URL, or ask a facade');
}

function runsPage(query: Readonly<Record<string, string>>): string {
  return `/runs?${new URLSearchParams(query).toString()}`;
}

function failed({ recent, now, since }: Around): Finding[] {
  const hours = `${Math.max(1, Math.round((now - since) / 3_600_000))}h`;
  return recent.runs
    .filter(({ status }) => status === 'FAILED')
    .map(({ id, path, cause, end }) => ({
      title: `${path}: ${cause?.code ?? 'failed'}${cause?.step ? ` at ${cause.step}` : ''}`,
      ...{ detail: cause?.message, at: end ?? now, id },
      link: runsPage({ status: 'failed', path, since: hours }),
      command: `noetl-temporal explain ${id}`,
    }));
}

async function late({ client, database, now }: Around): Promise<Finding[]> {
  const rows = await orNotKnown(database, NO_PROJECTION).rows<{ id: string; path: string; due: Date }>(
    `SELECT execution_id::text AS id, path, deadline_at AS due FROM noetl.execution
     WHERE end_time IS NULL AND late_at IS NOT NULL AND namespace = $1 ORDER BY deadline_at LIMIT ${MOST}`,
    [client.options.namespace],
  );
  return rows.map(({ id, path, due }) => ({
    ...{
      title: `${path} is late`,
      detail: `${id} was due ${duration(now - due.getTime())} ago`,
      at: due.getTime(),
      id,
    },
    ...{ link: runsPage({ status: 'running', path }), command: `noetl-temporal status ${id}` },
  }));
}

async function stuck({ client }: Around): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const info of reportedWorkflows(client)) {
    const id = executionIdIn(info);
    if (id === undefined) continue;
    const path = info.typedSearchAttributes.get(NOETL_PLAYBOOK) ?? '';
    const trouble = findings.length < MOST_GROUPS ? await troubleOf(client, info.workflowId) : undefined;
    findings.push({
      title: `${path}: its workflow task fails again and again`,
      ...{
        detail: trouble && `${trouble.code}: ${trouble.message}. ${trouble.hint}`,
        at: info.startTime.getTime(),
        id,
      },
      ...{ link: runsPage({ status: 'running', path }), command: `noetl-temporal status ${id}` },
    });
    if (findings.length >= MOST) break;
  }
  return findings;
}

async function queue({ client, now }: Around): Promise<Finding[]> {
  const unserved = (await queues(client)).filter(({ isServed, backlog }) => !isServed && backlog > 0);
  return unserved.map(({ name, kind, pool, backlog, backlogAge }) => ({
    ...{ title: `no worker serves ${name}`, count: backlog, at: now - backlogAge * 1000, link: '/workers' },
    detail: `${backlog === 1 ? '1 task waits' : `${backlog} tasks wait`}, the oldest for ${duration(backlogAge * 1000)}`,
    command: `noetl-temporal worker ${kind === 'workflows' ? '--workflows' : `--kinds ${kind}`}${pool === null ? '' : ` --pool ${pool}`}`,
  }));
}

async function trigger(around: Around): Promise<Finding[]> {
  const all = await new TriggerStore(storeOf(around)).list();
  return all.flatMap(({ path, state, dead_letters: dead, trouble, trouble_at }): Finding[] => {
    const link = '/triggers';
    const letters = { title: `${path}: messages that could not be started`, count: Number(dead), link };
    const idle = { title: `${path} takes no messages`, detail: trouble, at: trouble_at?.getTime(), link };
    return [
      ...(letters.count > 0 ? [{ ...letters, command: `noetl-temporal trigger dead ${path}` }] : []),
      ...(trouble !== null && state === 'ACTIVE'
        ? [{ ...idle, command: `noetl-temporal trigger describe ${path}` }]
        : []),
    ];
  });
}

/** Undelivered for that long, notifications stand still: nobody sends them, or they fail again and again. */
const STANDING = "interval '10 minutes'";

async function notification(around: Around): Promise<Finding[]> {
  const rows = await storeOf(around).rows<{
    status: string;
    count: string;
    oldest: Date;
    error: string | null;
  }>(
    `SELECT status, count(*) AS count, min(occurred_at) AS oldest, max(error) AS error FROM noetl.notification
     WHERE status = 'dead' OR (status = 'pending' AND created_at < now() - ${STANDING}) GROUP BY status`,
    [],
  );
  return rows.map(({ status, count, oldest, error }) => ({
    title: status === 'dead' ? 'notifications were given up' : 'notifications are not delivered',
    ...{ count: Number(count), detail: error, at: oldest.getTime() },
    link: `/operations/notifications?status=${status}`,
    command: `noetl-temporal notifications list --status ${status}`,
  }));
}

async function schedule({ client, since, schedules }: Around): Promise<Finding[]> {
  const starts = new Map((await failedStarts(client, since, MOST)).map(({ run }) => [run.workflowId, run]));
  const failing = schedules.flatMap((one) => {
    const run = starts.get(one.info.recentActions.at(-1)?.action.workflow.workflowId ?? '');
    return run ? [{ name: one.scheduleId, run }] : [];
  });
  return await Promise.all(
    failing.slice(0, MOST_GROUPS).map(async ({ name, run }) => {
      const { code, message: detail } = await startErrorOf(client, run);
      const at = (run.closeTime ?? run.startTime).getTime();
      const command = `noetl-temporal schedule describe ${name}`;
      return { title: `schedule ${name} could not start: ${code}`, detail, at, link: '/schedules', command };
    }),
  );
}

/** A projection that is busy catches up. */
const BEHIND_MS = 60_000;

function projection(around: Around): Finding[] {
  storeOf(around);
  const { behind, failing, error: detail } = orNotKnown(around.tables, NO_PROJECTION);
  const common = { link: '/runs', command: 'noetl-temporal project' };
  return [
    ...(behind > BEHIND_MS
      ? [
          {
            title: `the projection is behind by ${duration(behind)} at least`,
            at: around.now - behind,
            ...common,
          },
        ]
      : []),
    ...(failing > 0
      ? [{ title: 'executions that the projection cannot read', count: failing, detail, ...common }]
      : []),
  ];
}

interface WaitRow {
  readonly id: string;
  readonly path: string;
  readonly at: Date;
  readonly step: string;
  readonly event: string;
  readonly asks: boolean;
}

async function waiting(around: Around): Promise<Finding[]> {
  const { client, database } = around;
  const rows = database ? await waitsInTables(client, database) : await waitsAsked(client);
  return rows.map(({ id, path, at, step, event, asks }) => ({
    ...{ title: `${path} waits ${asks ? 'for an answer' : `for ${event}`} at ${step}`, at: at.getTime(), id },
    link: runsPage({ status: 'running', path }),
    command: asks ? `noetl-temporal answer ${id}` : `noetl-temporal event ${id} ${event}`,
  }));
}

async function waitsInTables(client: Client, { rows }: Pick<Database, 'rows'>): Promise<WaitRow[]> {
  return await rows<WaitRow>(
    `SELECT e.execution_id::text AS id, e.path, c.created_at AS at, c.node_name AS step,
       c.context->'wait'->>'event' AS event, c.context->'wait' ? 'form' AS asks
     FROM noetl.canonical_event c JOIN noetl.execution e USING (execution_id)
     WHERE c.event_type = 'task.started' AND c.context ? 'wait' AND c.context->'wait' ? 'event' AND NOT c.superseded
       AND e.end_time IS NULL AND e.namespace = $1
       AND NOT EXISTS (SELECT 1 FROM noetl.canonical_event d WHERE d.execution_id = c.execution_id
         AND d.seq > c.seq AND d.task_run_id = c.task_run_id AND d.event_type IN ('task.done', 'task.failed'))
     ORDER BY c.created_at LIMIT ${MOST}`,
    [client.options.namespace],
  );
}

/** Executions that are asked, without a projection. */
const MOST_ASKED = 50;

async function waitsAsked(client: Client): Promise<WaitRow[]> {
  const page = await listVisible(client, executionQuery({ status: ['RUNNING'] }), { pageSize: MOST_ASKED });
  const waits = page.executions.map(async (info) => {
    const [id, path] = [executionIdIn(info) ?? '', info.typedSearchAttributes.get(NOETL_PLAYBOOK) ?? ''];
    const all = await awaitedOf(client, info.workflowId, 2_000).catch(() => []);
    return all.map(({ step, event, form }) => ({
      id,
      path,
      at: info.startTime,
      step,
      event,
      asks: form !== undefined,
    }));
  });
  return (await Promise.all(waits)).flat();
}

const CHECKS: Readonly<Record<Problem['kind'], Check>> = {
  ...{ queue, stuck, failed, late, schedule, trigger, notification, projection, waiting },
};

const LIMIT_MS = 5_000;

/** A check that takes too long, or fails, is one that does not know. */
export async function problemsFor(
  kind: Problem['kind'],
  around: Around,
): Promise<Problem[] | { kind: Problem['kind']; why: string }> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NotKnown('it took more than 5 s to find out')), LIMIT_MS);
  });
  try {
    const findings = await Promise.race([Promise.resolve(around).then(CHECKS[kind]), limit]);
    return problemsOf(kind, findings);
  } catch (error) {
    return { kind, why: error instanceof NotKnown ? error.message : `asking failed: ${messageOf(error)}` };
  } finally {
    clearTimeout(timer);
  }
}

/** The most frequent first. */
function problemsOf(kind: Problem['kind'], findings: readonly Finding[]): Problem[] {
  const groups = new Map<string, Finding[]>();
  for (const one of findings) groups.set(one.title, [...(groups.get(one.title) ?? []), one]);
  const problems = [...groups.values()].map((group): Problem => {
    const [{ title, detail = null, at, id, count = group.length, link, command }] = group as [Finding];
    const since = at === undefined ? null : new Date(at).toISOString();
    const page = count === 1 && id !== undefined ? `/runs/${id}` : link;
    return { kind, wrong: kind !== 'waiting', count, title, detail, since, link: page, command };
  });
  return problems.sort((a, b) => b.count - a.count).slice(0, MOST_GROUPS);
}
