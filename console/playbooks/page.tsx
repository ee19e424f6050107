/** The catalog: every playbook and agent with its latest version, and what else is registered. */
import { type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { CommandHint, Empty, Loading, ProblemNote } from '../parts/empty';
import { StatusBadge } from '../parts/status';
import { Timestamp } from '../parts/when';
import { askApi } from '../server/api';
import { type CatalogVersion, type PlaybookActivity } from '../../src/server/facade/documents';
import { useDocument, useLoaded } from '../server/use';
import { playbookAddress, runAddress } from '../shell/address';
import { useMay } from '../shell/session';
import { StartDialog } from './start';

/** Kinds that can be started. */
const RUN: ReadonlySet<string> = new Set(['playbook', 'agent']);

export default function PlaybooksPage({ query }: { query: URLSearchParams }): JSX.Element {
  const { value, error } = useLoaded(
    (signal) =>
      askApi<{ entries: readonly CatalogVersion[] }>('/api/catalog/list', {
        body: { latest: true },
        signal,
      }),
    [],
    10_000,
  );
  const { value: activity } = useDocument<{ playbooks: readonly PlaybookActivity[] }>(
    '/api/catalog/activity',
    10_000,
  );
  const activityOf = (path: string): PlaybookActivity | undefined =>
    activity?.playbooks.find((one) => one.path === path);
  const [text, setText] = useState(query.get('text') ?? '');
  const [starting, setStarting] = useState<CatalogVersion>();
  const mayRun = useMay('run');
  const all = value?.entries ?? [];
  const latest = all.filter(({ kind }) => RUN.has(kind));
  const shown = all.filter((entry) =>
    `${entry.path} ${entry.name} ${descriptionOf(entry)}`.toLowerCase().includes(text.toLowerCase()),
  );
  return (
    <>
      <header class="page-head">
        <h1>Playbooks</h1>
        {value && <span class="count">{latest.length}</span>}
        {mayRun && (
          <a class="button primary" href="/playbooks/new">
            New playbook
          </a>
        )}
      </header>
      {all.length > 0 && (
        <div class="filters">
          <input
            type="search"
            aria-label="Search playbooks"
            placeholder="Search"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </div>
      )}
      {error && !value && <ProblemNote error={error} />}
      {!value && !error && <Loading what="Loading the catalog" />}
      {value && latest.length === 0 && (
        <Empty title="No playbook is registered yet">
          <p>
            <a href="/playbooks/new">Write one here</a>, or register a file:
          </p>
          <CommandHint text="noetl-temporal register playbooks/hello_world.yaml" />
        </Empty>
      )}
      {foldersOf(shown).map(([folder, entries]) => (
        <details key={folder} class="folder" open>
          <summary>
            {folder} <span class="count">{entries.length}</span>
          </summary>
          <ul class="cards">
            {entries.map((entry) => (
              <Card
                key={entry.path}
                entry={entry}
                activity={activityOf(entry.path)}
                onStart={mayRun && RUN.has(entry.kind) ? () => setStarting(entry) : undefined}
              />
            ))}
          </ul>
        </details>
      ))}
      {starting && (
        <StartDialog path={starting.path} version={starting.version} onClose={() => setStarting(undefined)} />
      )}
    </>
  );
}

function descriptionOf({ payload }: CatalogVersion): string {
  const { description } = payload.metadata;
  return typeof description === 'string' ? description : '';
}

/** By the part of the path in front of the last one, in order. */
function foldersOf(entries: readonly CatalogVersion[]): [string, CatalogVersion[]][] {
  const folders = new Map<string, CatalogVersion[]>();
  for (const entry of entries) {
    const folder = entry.path.includes('/') ? entry.path.replace(/\/[^/]*$/, '') : 'without a folder';
    folders.set(folder, [...(folders.get(folder) ?? []), entry]);
  }
  return [...folders].sort(([a], [b]) => a.localeCompare(b));
}

interface CardProps {
  readonly entry: CatalogVersion;
  readonly activity: PlaybookActivity | undefined;
  readonly onStart: (() => void) | undefined;
}

function Card({ entry, activity, onStart }: CardProps): JSX.Element {
  const { last, next } = activity ?? {};
  return (
    <li class="card playbook-card" data-playbook={entry.path}>
      <div>
        {RUN.has(entry.kind) ? <a href={playbookAddress(entry.path)}>{entry.path}</a> : entry.path}
        {descriptionOf(entry) && <p class="detail">{descriptionOf(entry)}</p>}
        <p class="where">
          {entry.kind !== 'playbook' && `${entry.kind} · `}version {entry.version} ·{' '}
          <Timestamp at={entry.created_at} />
          {next && (
            <>
              {' '}
              · next <Timestamp at={next.at} /> by {next.schedule}
            </>
          )}
        </p>
      </div>
      {last && (
        <a class="last-run" href={runAddress(last.execution_id)} title="The last run">
          <StatusBadge status={last.status} /> <Timestamp at={last.at} />
        </a>
      )}
      {onStart && (
        <button type="button" onClick={onStart}>
          Start
        </button>
      )}
    </li>
  );
}
