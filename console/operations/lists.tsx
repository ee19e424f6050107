/** What is operated, each list described: what it asks, shows and does is data. */
import { type JSX } from 'preact';
import { Cell, type Column, type TableRow } from '../parts/rows';
import { askApi, type RequestOptions } from '../server/api';
import { useDocument } from '../server/use';

/** Something to do with a row. */
export interface RowAct {
  readonly label: string;
  readonly scope: 'run' | 'admin';
  readonly when: (row: TableRow) => boolean;
  readonly ask: (row: TableRow) => readonly [path: string, options: RequestOptions];
  readonly message: string;
}

export interface OperationsList {
  readonly title: string;
  readonly scope?: 'admin';
  /** @param query of the address */
  readonly load: (query: URLSearchParams, signal: AbortSignal) => Promise<readonly TableRow[]>;
  /** Parameters of the address; with words to choose from, or typed. */
  readonly filters: Readonly<Record<string, readonly string[]>>;
  readonly keyOf: (row: TableRow) => string;
  readonly columns: Readonly<Record<string, Column>>;
  readonly acts: readonly RowAct[];
  /** What it is, and what to do while there is nothing. */
  readonly none: readonly [title: string, text: string, command?: string];
}

const text = (row: TableRow, name: string): string => String(row[name]);

/** The list of that name in a document of the facade. */
function from(route: string, name?: string): OperationsList['load'] {
  return async (query, signal) => {
    const document = await askApi<unknown>(`${route}?${query.toString()}`, { signal });
    return (name === undefined ? document : (document as TableRow)[name]) as readonly TableRow[];
  };
}

function Progress({ of: { bulk_id: id, finished_at } }: { of: TableRow }): JSX.Element | null {
  const { value } = useDocument<{ total: number; counts: TableRow; outcomes: readonly TableRow[] }>(
    `/api/bulk/${String(id)}`,
    finished_at === null ? 2_000 : undefined,
  );
  if (!value) return null;
  const counts = Object.entries(value.counts).filter(([, count]) => count !== 0);
  const failures = value.outcomes.filter(({ outcome }) => outcome === 'failed');
  return (
    <>
      <progress max={value.total} value={value.total - Number(value.counts['left'])} aria-label="Progress" />{' '}
      {counts.map(([word, count]) => `${String(count)} ${word}`).join(', ')}
      <Cell name="failures" value={failures} />
    </>
  );
}

async function datasets(query: URLSearchParams, signal: AbortSignal): Promise<readonly TableRow[]> {
  const rows = new Map<string, { id: string; reads: TableRow[]; writes: TableRow[] }>();
  for (let after: string | null = ''; after !== null;) {
    const page: { tasks: readonly TableRow[]; next: string | null } = await askApi(
      `/api/lineage?after=${encodeURIComponent(after)}`,
      { signal },
    );
    for (const { path, step, kind, ...task } of page.tasks)
      for (const way of ['reads', 'writes'] as const)
        for (const { namespace, name } of task[way] as readonly TableRow[]) {
          const id = `${String(namespace)} ${String(name)}`;
          const row = rows.get(id) ?? { id, reads: [], writes: [] };
          row[way].push({ path, step, kind });
          rows.set(id, row);
        }
    after = page.next;
  }
  const needle = (query.get('text') ?? '').toLowerCase();
  const matches = [...rows.values()].filter((row) => JSON.stringify(row).toLowerCase().includes(needle));
  return matches.sort((a, b) => (a.id < b.id ? -1 : 1));
}

const isValid = ({ revoked_at, expires_at }: TableRow): boolean =>
  revoked_at === null && (expires_at === null || Date.parse(String(expires_at)) > Date.now());
const inTwoHours = (): string => new Date(Date.now() + 7_200_000).toISOString();
const entries = (name: string) => (row: TableRow) =>
  row[name] === null ? 'unknown: no workflow worker answered' : <Cell name={name} value={row[name]} />;

export const LISTS: Readonly<Record<string, OperationsList>> = {
  notifications: {
    title: 'Notifications',
    load: from('/api/notifications', 'notifications'),
    filters: { status: ['pending', 'delivered', 'dead', 'silenced'], execution_id: [] },
    keyOf: (row) => text(row, 'id'),
    columns: {
      ...{
        Status: 'status',
        Cause: 'cause',
        Execution: 'execution_id',
        Schedule: 'schedule',
        Playbook: 'path',
      },
      ...{ Target: 'target', When: 'occurred_at', Attempts: 'attempts', Error: 'error' },
    },
    acts: [
      {
        ...{ label: 'Send again', scope: 'run', message: 'It will be sent again.' },
        when: ({ status }) => status !== 'delivered',
        ask: ({ id }) => ['/api/notifications/retry', { body: { ids: [id] } }],
      },
      {
        ...{
          label: 'Silence its playbook for 2 h',
          scope: 'run',
          message: 'Nobody is notified of it for 2 h.',
        },
        when: () => true,
        ask: ({ path }) => ['/api/notifications/silences', { body: { path, until: inTwoHours() } }],
      },
    ],
    none: [
      'There are no notifications',
      'Playbooks, schedules and the file of the installation name whom to tell of what. To send all that were given up:',
      'noetl-temporal notifications retry --dead',
    ],
  },
  silences: {
    title: 'Silences',
    load: from('/api/notifications/silences', 'silences'),
    filters: {},
    keyOf: (row) => text(row, 'path'),
    columns: {
      ...{ Path: (row) => text(row, 'path'), Until: 'until', Causes: 'causes' },
      ...{ By: 'created_by', Reason: 'reason' },
    },
    acts: [
      {
        ...{ label: 'End', scope: 'run', message: 'They are told of again.', when: () => true },
        ask: (row) => [
          `/api/notifications/silences?path=${encodeURIComponent(text(row, 'path'))}`,
          { method: 'DELETE' },
        ],
      },
    ],
    none: [
      'Nothing is silenced',
      'Of playbooks whose path is silenced nobody is notified, until a time:',
      "noetl-temporal notifications silence 'etl/*' --for 2h",
    ],
  },
  limits: {
    title: 'Limits',
    load: from('/api/limits', 'limits'),
    filters: { of: ['concurrency', 'debounce', 'rate'], scope: [] },
    keyOf: ({ of, scope, key }) => [of, scope, key].join(' '),
    columns: {
      ...{ Limit: 'of', Most: 'limit', Scope: 'scope', Key: 'key', 'Held by': entries('holders') },
      ...{ 'Waiting for them, in order': entries('waiting'), Waiting: 'waiting_count' },
    },
    acts: [],
    none: [
      'No limit is in use',
      'executor.spec.concurrency, debounce and rate_limit of playbooks say how many of their executions run at once.',
    ],
  },
  bulk: {
    title: 'Bulk operations',
    // Each is asked for its progress.
    load: (_query, signal) => askApi('/api/bulk?limit=20', { signal }),
    filters: {},
    keyOf: (row) => text(row, 'bulk_id'),
    columns: {
      ...{ Status: 'status', What: 'verb', Of: 'total', Which: 'where', By: 'by', Begun: 'started_at' },
      Progress: (row) => <Progress of={row} />,
    },
    acts: [
      {
        ...{ label: 'Cancel', scope: 'run', message: 'It stops after the batch under way.' },
        when: ({ finished_at }) => finished_at === null,
        ask: ({ bulk_id }) => [`/api/bulk/${String(bulk_id)}/cancel`, { body: {} }],
      },
      {
        ...{ label: 'Resume', scope: 'run', message: 'It goes on with those that are left.' },
        when: ({ status }) => status === 'cancelled',
        ask: ({ bulk_id }) => [`/api/bulk/${String(bulk_id)}/resume`, { body: {} }],
      },
    ],
    none: [
      'Nothing was done with many executions yet',
      'Select runs in their list, or name them by what they have in common:',
      'noetl-temporal rerun --where "status=failed since=1d" --dry-run',
    ],
  },
  lineage: {
    title: 'Lineage',
    load: datasets,
    filters: { text: [] },
    keyOf: (row) => text(row, 'id'),
    columns: { 'Written by': 'writes', Data: 'id', 'Read by': 'reads' },
    acts: [],
    none: [
      'No playbook names data',
      'What playbooks name without templates is listed. What each run reads and writes is told by',
      'noetl-temporal project --openlineage https://marquez.example.com/api/v1/lineage',
    ],
  },
  audit: {
    title: 'Audit',
    load: from('/api/audit', 'acts'),
    filters: { about: [], by: [], request: [] },
    keyOf: (row) => text(row, 'id'),
    columns: {
      ...{
        When: 'at',
        By: 'principal',
        Assistant: 'assistant',
        From: 'remote',
        What: 'request',
        About: 'about',
      },
      Outcome: ({ code }) => (code === null ? 'done' : <Cell name="code" value={code} />),
    },
    acts: [],
    none: [
      'Nothing is noted',
      'Whoever starts, cancels, answers, promotes or changes something here is noted, without values.',
    ],
  },
  tokens: {
    title: 'Tokens',
    scope: 'admin',
    load: from('/api/tokens', 'tokens'),
    filters: {},
    keyOf: (row) => text(row, 'id'),
    columns: {
      Name: 'name',
      State: (row) => (
        <Cell name="state" value={isValid(row) ? 'valid' : row['revoked_at'] ? 'revoked' : 'expired'} />
      ),
      ...{ May: 'scopes', Credentials: 'credentials', Kinds: 'kinds', Pools: 'pools', Paths: 'paths' },
      ...{ Made: 'created_at', Expires: 'expires_at', 'Last used': 'last_used_at' },
    },
    acts: [
      {
        ...{ label: 'Revoke', scope: 'admin', message: 'It is refused from now on.', when: isValid },
        ask: ({ id }) => [`/api/tokens/${String(id)}`, { method: 'DELETE' }],
      },
    ],
    none: [
      'There are no tokens',
      'A token is shown once, where it is made:',
      'noetl-temporal tokens create me --scopes run',
    ],
  },
};
