/** One playbook: its graph and last runs, its text to edit, its versions. */
import { type JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { type Graph } from '../../src/language/dsl/graph/model';
import { useCompiler } from '../compiling/use';
import { Loading, ProblemNote } from '../parts/empty';
import { fullMoment } from '../parts/time';
import { GraphView } from '../run/graph';
import {
  type CatalogVersion,
  type PlaybookOverview,
  type StagedReport,
} from '../../src/server/facade/documents';
import { useContent, useDocument, useLoaded } from '../server/use';
import { go, logsAddress, withQuery } from '../shell/address';
import { useMay } from '../shell/session';
import { PlaybookEditor } from './editor';
import { Grid } from './grid';
import { About, StepTimes } from './about';
import { Staged } from './staged';
import { StartDialog } from './start';
import { VersionList } from './versions';

const NEW = `apiVersion: noetl.io/v2
kind: Playbook
metadata:
  name: my_playbook
  path: examples/my_playbook
workload:
  name: Ada
workflow:
  - step: start
    tool:
      kind: noop
      input: { text: "Hello, {{ workload.name }}" }
`;

const STAGED_MS = 5_000;
const ABOUT_MS = 15_000;

const TABS = [
  ['runs', 'Runs'],
  ['edit', 'Edit'],
  ['versions', 'Versions'],
] as const;

interface Props {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

export default function PlaybookPage({ path: [, ...segments], query }: Props): JSX.Element {
  const path = segments.join('/');
  if (path === 'new')
    return (
      <>
        <header class="page-head">
          <h1>New playbook</h1>
        </header>
        <PlaybookEditor text={NEW} />
      </>
    );
  return <StoredPlaybook key={path} path={path} query={query} />;
}

function StoredPlaybook({ path, query }: { path: string; query: URLSearchParams }): JSX.Element {
  const { value, error, again } = useDocument<{ entries: readonly CatalogVersion[] }>(
    `/api/catalog/${path}/versions`,
  );
  const { value: staging, again: lookAgain } = useDocument<{ staged: StagedReport | null }>(
    `/api/catalog/${path}/staged`,
    STAGED_MS,
  );
  const [starting, setStarting] = useState(false);
  const mayRun = useMay('run');
  const versions = useMemo(() => newestFirst(value?.entries), [value]);
  const entry = chosen(versions, Number(query.get('version')));
  const text = useContent(entry?.catalog_id);
  const stagedText = useContent(versions.find(({ staged }) => staged)?.catalog_id);
  if (error) return <ProblemNote error={error} />;
  if (!value) return <Loading />;
  if (!entry) return <ProblemNote error={{ message: `No version of ${path} is registered.` }} />;
  const tab = query.get('tab') ?? 'runs';
  return (
    <>
      <header class="page-head" data-playbook={path}>
        <h1>{path}</h1>
        <select
          aria-label="Version"
          value={entry.version}
          onChange={(event) => go(withQuery({ version: event.currentTarget.value }), true)}
        >
          {versions.map(({ version, created_at, staged }) => (
            <option key={version} value={version}>
              version {version}
              {staged && ' (staged)'} · {fullMoment(created_at)}
            </option>
          ))}
        </select>
        {mayRun && (
          <button type="button" class="primary" onClick={() => setStarting(true)}>
            Start
          </button>
        )}
      </header>
      {staging?.staged && (
        <Staged
          staged={staging.staged}
          text={stagedText}
          onDone={() => {
            again();
            lookAgain();
          }}
        />
      )}
      <nav class="tabs" aria-label="Of this playbook">
        {TABS.map(([name, label]) => (
          <a
            key={name}
            href={withQuery({ tab: name === 'runs' ? undefined : name })}
            aria-current={tab === name ? 'page' : undefined}
          >
            {label}
          </a>
        ))}
        <a href={logsAddress({ path })}>Logs</a>
      </nav>
      {text === undefined ? (
        <Loading />
      ) : tab === 'edit' ? (
        <PlaybookEditor key={entry.catalog_id} path={path} text={text} />
      ) : tab === 'versions' ? (
        <VersionList versions={versions} />
      ) : (
        <Overview path={path} text={text} />
      )}
      {starting && <StartDialog path={path} version={entry.version} onClose={() => setStarting(false)} />}
    </>
  );
}

function newestFirst(entries: readonly CatalogVersion[] = []): CatalogVersion[] {
  return [...entries].sort((a, b) => b.version - a.version);
}

function chosen(versions: readonly CatalogVersion[], number: number): CatalogVersion | undefined {
  const named = versions.find(({ version }) => version === number);
  return named ?? versions.find(({ latest }) => latest) ?? versions[0];
}

function Overview({ path, text }: { path: string; text: string }): JSX.Element {
  const compiler = useCompiler();
  const { value } = useLoaded(() => compiler.compile(text), [text]);
  const graph: Graph | undefined = useMemo(() => value?.graph, [value]);
  const { value: about } = useDocument<PlaybookOverview>(`/api/catalog/${path}/overview`, ABOUT_MS);
  return (
    <div class="overview">
      <section>
        {about && <About of={about} />}
        <h2>Last runs</h2>
        <Grid path={path} />
        {about && <StepTimes of={about} />}
      </section>
      <section>
        <h2>Graph</h2>
        <div class="graph-box" tabIndex={0} role="region" aria-label="Graph of the playbook">
          {graph ? <GraphView graph={graph} /> : <Loading />}
        </div>
      </section>
    </div>
  );
}
