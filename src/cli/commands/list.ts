import { Command } from 'commander';
import { UsageError } from '../errors';
import { jsonOption, serverOption } from '../input/options';
import { print } from '../output/say';
import { textTable } from '../output/table';
import { type ExecutionDocument } from '../../server/facade/documents';

interface Flags {
  json?: boolean;
  server?: string;
  status?: string;
  path?: string;
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
    columns: ['execution_id', 'status', 'path', 'start_time', 'duration_human', 'started_by'],
    rows: executions,
  },
  limits: { columns: ['of', 'scope', 'key', 'limit', 'held_by', 'waiting'], rows: limits },
};

/** `list [playbooks|executions|limits]`: lists objects of a facade. */
export function listCommand(): Command {
  return new Command('list')
    .description(
      'list the playbooks of the catalog (latest versions), the executions, newest first, or the keys of limits in use',
    )
    .argument('[what]', Object.keys(LISTS).join(' or '), 'playbooks')
    .option('--status <status>', 'executions: running, completed, failed, cancelled …')
    .option('--path <path>', 'only of this playbook; limits: of this scope')
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

/** The catalog returns all versions, newest first, including their contents. */
async function playbooks(flags: Flags): Promise<Row[]> {
  const { entries } = await ask<{ entries: Row[] }>(flags, '/api/catalog/list', {
    resource_type: 'playbook',
  });
  const latest = new Map<unknown, Row>();
  for (const { content: _, payload: __, layout: ___, ...entry } of entries) {
    if (flags.path !== undefined && entry['path'] !== flags.path) continue;
    const key = flags.path === undefined ? entry['path'] : entry['catalog_id'];
    if (!latest.has(key)) latest.set(key, entry);
  }
  return [...latest.values()].sort((a, b) => String(a['path']).localeCompare(String(b['path']), 'en'));
}

async function executions(flags: Flags): Promise<Row[]> {
  const query = new URLSearchParams({ page_size: String(Math.min(Number(flags.limit), 1000)) });
  if (flags.status !== undefined) query.set('status', flags.status);
  if (flags.path !== undefined) query.set('path', flags.path);
  const rows = await ask<ExecutionDocument[]>(flags, `/api/executions?${query.toString()}`);
  return rows.map((row) => ({
    ...row,
    ...(row.skipped && !flags.json && { status: 'SKIPPED' }),
    started_by: starterOf(row),
  }));
}

function starterOf({
  parent_execution_id,
  schedule,
  notification_id,
  rerun_of,
}: ExecutionDocument): string | null {
  if (schedule) return `schedule ${schedule.name}`;
  if (parent_execution_id !== null) return `execution ${parent_execution_id}`;
  if (rerun_of) return `rerun of ${rerun_of.execution_id}`;
  return notification_id === null ? null : 'a notification';
}

interface Limit extends Row {
  readonly holders: readonly { readonly execution_id: string }[] | null;
  readonly waiting: readonly { readonly execution_id: string }[] | null;
}

/** `waiting` is in the order in which they will begin. */
async function limits(flags: Flags): Promise<Row[]> {
  const query = new URLSearchParams(flags.path === undefined ? {} : { scope: flags.path });
  const answer = await ask<{ limits: Limit[] }>(flags, `/api/limits?${query.toString()}`);
  const ids = (entries: Limit['holders']): string =>
    entries ? entries.map(({ execution_id }) => execution_id).join(' ') : '?';
  return answer.limits.map(({ holders, waiting, ...rest }) => ({
    ...rest,
    held_by: ids(holders),
    waiting: ids(waiting),
  }));
}
