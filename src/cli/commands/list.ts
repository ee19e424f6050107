import { Command } from 'commander';
import { UsageError } from '../errors';
import { milliseconds } from '../input/number';
import { jsonOption, serverOption } from '../input/options';
import { labelPairs } from '../../language/plan/labels';
import { print } from '../output/say';
import { textTable } from '../output/table';
import { type ActDocument, type ExecutionCause, type ExecutionDocument } from '../../server/facade/documents';
import { type LimitInUse } from '../../temporal/client/limits';

interface Flags {
  json?: boolean;
  server?: string;
  status?: string;
  path?: string;
  about?: string;
  by?: string;
  label?: string[];
  name?: string;
  text?: string;
  input?: string[];
  code?: string[];
  step?: string[];
  since?: string;
  limit: string;
}

type Row = Readonly<Record<string, unknown>>;

interface Listed {
  readonly columns: readonly string[];
  rows(flags: Flags): Promise<readonly Row[]>;
}

/** The lists. */
const LISTS: Readonly<Record<string, Listed>> = {
  playbooks: { columns: ['path', 'version', 'catalog_id', 'created_at'], rows: playbooks },
  executions: {
    columns: [
      'execution_id',
      'status',
      'path',
      'start_time',
      'duration_human',
      'started_by',
      'run_name',
      'labels',
    ],
    rows: executions,
  },
  causes: { columns: ['count', 'path', 'status', 'step', 'code', 'latest', 'message'], rows: causes },
  limits: { columns: ['of', 'scope', 'key', 'limit', 'held_by', 'waiting'], rows: limits },
  audit: { columns: ['at', 'principal', 'request', 'about', 'code'], rows: audit },
};

/** `list [playbooks|executions|causes|limits|audit]`: lists objects of a facade. */
export function listCommand(): Command {
  return new Command('list')
    .description(
      'list the playbooks of the catalog (latest versions), the executions, newest first, or failed ones by cause (causes), the keys of limits in use, or who changed what (audit)',
    )
    .argument('[what]', Object.keys(LISTS).join(' or '), 'playbooks')
    .option('--status <status>', 'executions: running, completed, failed, cancelled …')
    .option('--path <path>', 'only of this playbook; limits: of this scope')
    .option('--about <what>', 'audit: only of this execution, playbook, schedule …: its id, path or name')
    .option('--by <name>', 'audit: only of this token')
    .option('--label <key=value>', 'executions with this label; repeatable', collected)
    .option('--name <name>', 'executions with this name (metadata.run_name); load* for all that begin so')
    .option('--input <key=value>', 'executions with this value in their workload; repeatable', collected)
    .option('--text <text>', 'executions with this text in id, path, name, labels, schedule or error')
    .option('--code <code>', 'executions that ended with this error, e.g. HTTP_5*; repeatable', collected)
    .option('--step <step>', 'executions that this step failed; repeatable', collected)
    .option('--since <time>', 'executions that started within this time, e.g. 2h or 3d')
    .option('--limit <n>', 'maximum number of entries', '50')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action(async (what: string, flags: Flags) => {
      const listed = Object.hasOwn(LISTS, what) ? LISTS[what] : undefined;
      if (!listed) throw new UsageError(`list ${what}: expected ${Object.keys(LISTS).join(' or ')}`);
      if (!/^[1-9]\d{0,3}$/.test(flags.limit))
        throw new UsageError(`--limit ${flags.limit}: expected 1 to 9999`);
      const rows = (await listed.rows(flags)).slice(0, Number(flags.limit));
      const { columns } = listed;
      const table = [columns, ...rows.map((row) => columns.map((name) => String(row[name] ?? '')))];
      await print(flags.json ? JSON.stringify({ [what]: rows }, null, 2) : textTable(table));
    });
}

async function ask<T>(flags: Flags, path: string, body?: unknown): Promise<T> {
  const { askAt, facadeNamed, USUAL_FACADE } = await import('../runtime/port/index.js');
  const asking = body === undefined ? {} : ({ method: 'POST', body } as const);
  return await askAt({}, path, asking, facadeNamed(flags) ?? USUAL_FACADE);
}

/** What can be run. The catalog returns all versions, newest first. */
async function playbooks(flags: Flags): Promise<Row[]> {
  const lists = ['playbook', 'agent'].map((resource_type) =>
    ask<{ entries: Row[] }>(flags, '/api/catalog/list', { resource_type }),
  );
  const entries = (await Promise.all(lists)).flatMap((list) => list.entries);
  const latest = new Map<unknown, Row>();
  for (const { content: _, payload: __, layout: ___, ...entry } of entries) {
    if (flags.path !== undefined && entry['path'] !== flags.path) continue;
    const key = flags.path === undefined ? entry['path'] : entry['catalog_id'];
    if (!latest.has(key)) latest.set(key, entry);
  }
  return [...latest.values()].sort((a, b) => String(a['path']).localeCompare(String(b['path']), 'en'));
}

async function executions(flags: Flags): Promise<Row[]> {
  const query = filterOf(flags);
  query.set('page_size', String(Math.min(Number(flags.limit), 1000)));
  const rows = await ask<ExecutionDocument[]>(flags, `/api/executions?${query.toString()}`);
  return rows.map((row) => ({
    ...row,
    ...(row.skipped && !flags.json && { status: 'SKIPPED' }),
    started_by: starterOf(row),
    ...(!flags.json && { labels: labelPairs(row.labels).join(' ') }),
  }));
}

/** Failed executions by step and code; others with `--status`. */
async function causes(flags: Flags): Promise<Row[]> {
  const groups = await ask<ExecutionCause[]>(
    flags,
    `/api/executions/causes?${filterOf({ status: 'failed', ...flags }).toString()}`,
  );
  if (flags.json) return groups.map((group) => ({ ...group }));
  return groups.map(({ example, ...group }) => ({
    ...group,
    latest: example.execution_id,
    message: example.message?.split('\n')[0],
  }));
}

function filterOf(flags: Flags): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of ['status', 'path', 'label', 'name', 'text', 'input', 'code', 'step'] as const)
    for (const value of [flags[name] ?? []].flat()) query.append(name, value);
  if (flags.since !== undefined) {
    const from = Date.now() - milliseconds(flags.since, '--since');
    query.set('started_after', new Date(from).toISOString());
  }
  return query;
}

function collected(value: string, before: string[] = []): string[] {
  return [...before, value];
}

function starterOf({
  parent_execution_id,
  schedule,
  notification_id,
  trigger,
  rerun_of,
}: ExecutionDocument): string | null {
  if (schedule) return `schedule ${schedule.name}`;
  if (parent_execution_id !== null) return `execution ${parent_execution_id}`;
  if (trigger) return `subscription ${trigger.path}`;
  if (rerun_of) return `rerun of ${rerun_of.execution_id}`;
  return notification_id === null ? null : 'a notification';
}

/** `waiting` is in the order in which they will begin. */
async function limits(flags: Flags): Promise<Row[]> {
  const query = new URLSearchParams(flags.path === undefined ? {} : { scope: flags.path });
  const answer = await ask<{ limits: LimitInUse[] }>(flags, `/api/limits?${query.toString()}`);
  const ids = (entries: LimitInUse['holders']): string =>
    entries ? entries.map(({ execution_id }) => execution_id).join(' ') : '?';
  return answer.limits.map(({ holders, waiting, ...rest }) => ({
    ...rest,
    held_by: ids(holders),
    waiting: ids(waiting),
  }));
}

/** What was done at the facade, with the code of the error if it was refused. */
async function audit({ about, by, limit, ...flags }: Flags): Promise<Row[]> {
  const query = new URLSearchParams({ limit: String(Math.min(Number(limit), 1000)) });
  if (about !== undefined) query.set('about', about);
  if (by !== undefined) query.set('by', by);
  const { acts } = await ask<{ acts: ActDocument[] }>({ ...flags, limit }, `/api/audit?${query.toString()}`);
  return flags.json
    ? acts
    : acts.map((one) => ({ ...one, about: one.about.join(' '), code: one.code ?? 'done' }));
}
