/** The catalog: every playbook with its latest version. */
import { type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { CommandHint, Empty, Loading, ProblemNote } from '../parts/empty';
import { Timestamp } from '../parts/when';
import { askApi } from '../server/api';
import { type CatalogVersion } from '../../src/server/facade/documents';
import { useLoaded } from '../server/use';
import { playbookAddress } from '../shell/address';
import { useMay } from '../shell/session';
import { StartDialog } from './start';

export default function PlaybooksPage({ query }: { query: URLSearchParams }): JSX.Element {
  const { value, error } = useLoaded(
    (signal) =>
      askApi<{ entries: readonly CatalogVersion[] }>('/api/catalog/list', {
        body: { resource_type: 'Playbook', latest: true },
        signal,
      }),
    [],
    10_000,
  );
  const [text, setText] = useState(query.get('text') ?? '');
  const [starting, setStarting] = useState<CatalogVersion>();
  const mayRun = useMay('run');
  const latest = value?.entries ?? [];
  const shown = latest.filter((entry) =>
    `${entry.path} ${entry.name}`.toLowerCase().includes(text.toLowerCase()),
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
      {latest.length > 0 && (
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
      <ul class="cards">
        {shown.map((entry) => (
          <li key={entry.path} class="card playbook-card" data-playbook={entry.path}>
            <div>
              <a href={playbookAddress(entry.path)}>{entry.path}</a>
              <p class="where">
                version {entry.version} · <Timestamp at={entry.created_at} />
              </p>
            </div>
            {mayRun && (
              <button type="button" onClick={() => setStarting(entry)}>
                Start
              </button>
            )}
          </li>
        ))}
      </ul>
      {starting && (
        <StartDialog path={starting.path} version={starting.version} onClose={() => setStarting(undefined)} />
      )}
    </>
  );
}
