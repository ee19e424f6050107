/** The runs, newest first, live. */
import { type JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { CommandHint, Empty, Loading, ProblemNote } from '../parts/empty';
import { StatusBadge } from '../parts/status';
import { duration } from '../parts/time';
import { VirtualRows } from '../parts/virtual';
import { Timestamp } from '../parts/when';
import { type ExecutionDocument } from '../../src/server/facade/documents';
import { useNow } from '../server/use';
import { playbookAddress, runAddress } from '../shell/address';
import { useMay } from '../shell/session';
import { BatchActions } from './batch';
import { Filters, listQuery } from './filters';
import { useRuns } from './list';
import { OriginLinks, shownStatus } from './origin';
import { useRunSearch } from './search';
import { StepBar } from './steps';

const ROW = 52;

export default function RunsPage({ query }: { query: URLSearchParams }): JSX.Element {
  const key = query.toString();
  const search = useMemo(() => listQuery(query).toString(), [key]);
  const list = useRuns(search, key);
  const { runs, loaded, error, more, again } = list;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const mayRun = useMay('run');
  const { shown, isSearching, searched } = useRunSearch(list, (query.get('text') ?? '').toLowerCase());
  const isFiltered = key !== '';
  const now = useNow(shown.some((run) => run.end_time === null) ? 1000 : undefined);
  const toggle = (id: string): void => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    setSelected(next);
  };
  const chosen = runs.filter((run) => selected.has(run.execution_id));
  return (
    <>
      <header class="page-head">
        <h1>Runs</h1>
        {loaded && <Count count={shown.length} isMore={list.hasMore} isSearching={isSearching} />}
        {mayRun && (
          <a class="button primary" href="/playbooks">
            Start a playbook
          </a>
        )}
      </header>
      <Filters query={query} />
      {error && !loaded && <ProblemNote error={error} />}
      {!loaded && !error && <Loading what="Loading the runs" />}
      {loaded && shown.length === 0 && !isSearching && <NoRuns filtered={isFiltered} searched={searched} />}
      {shown.length > 0 && (
        <>
          {chosen.length > 0 && (
            <BatchActions
              runs={chosen}
              onDone={() => (setSelected(new Set()), again())}
              onClear={() => setSelected(new Set())}
            />
          )}
          <div class="run-row run-head" aria-hidden="true">
            {mayRun && <span />}
            <span>Status</span>
            <span>Playbook</span>
            <span>Steps</span>
            <span>Started</span>
            <span>Duration</span>
          </div>
          <VirtualRows
            class="run-rows"
            label="Runs, newest first"
            count={shown.length}
            rowHeight={ROW}
            onEnd={more}
            row={(index) => {
              const run = shown[index]!;
              const id = run.execution_id;
              return (
                <RunRow
                  key={id}
                  run={run}
                  now={now}
                  {...(mayRun && { selected: selected.has(id), onSelect: () => toggle(id) })}
                />
              );
            }}
          />
        </>
      )}
    </>
  );
}

interface RowProps {
  readonly run: ExecutionDocument;
  readonly now: number;
  readonly selected?: boolean;
  readonly onSelect?: () => void;
}

function RunRow({ run, now, selected, onSelect }: RowProps): JSX.Element {
  const end = run.end_time === null ? now : Date.parse(run.end_time);
  const took = duration(end - Date.parse(run.start_time));
  return (
    <div class="run-row" role="listitem" data-execution={run.execution_id} data-status={run.status}>
      {onSelect && (
        <input
          type="checkbox"
          checked={selected}
          onChange={onSelect}
          aria-label={`Select run ${run.execution_id}`}
        />
      )}
      <StatusBadge status={shownStatus(run)} />
      <span class="what">
        <a href={runAddress(run.execution_id)}>{run.path || 'a playbook without a path'}</a>
        <small>
          {run.execution_id}
          {run.version !== null && ` · ${versionOf(run.version)}`}
          <OriginLinks run={run} plain />
          {run.error && <em class="why"> · {run.error}</em>}
        </small>
      </span>
      <StepBar run={run} />
      <Timestamp at={run.start_time} now={now} />
      <span class="took">{took}</span>
    </div>
  );
}

/** The catalog numbers versions; what was run from a file has only the one that its author wrote. */
function versionOf(version: string | number): string {
  return typeof version === 'number' ? `version ${String(version)}` : `${version}, from a file`;
}

interface CountProps {
  readonly count: number;
  /** There are older ones, which are not loaded. */
  readonly isMore: boolean;
  readonly isSearching: boolean;
}

function Count({ count, isMore, isSearching }: CountProps): JSX.Element {
  const words = isMore ? `${String(count)}+ runs` : count === 1 ? '1 run' : `${String(count)} runs`;
  return (
    <>
      <span class="count">{words}</span>
      {isSearching && <span class="hint">searching older runs …</span>}
    </>
  );
}

function NoRuns({ filtered, searched }: { filtered: boolean; searched: number | undefined }): JSX.Element {
  if (filtered)
    return (
      <Empty title="No run fits these filters">
        {searched !== undefined && (
          <p>The newest {searched} were searched; filter by playbook or time to look at older ones.</p>
        )}
        <p>
          <a href="/runs">Show all runs</a>
        </p>
      </Empty>
    );
  return (
    <Empty title="Nothing has run yet">
      <p>Register a playbook, then start it here or from a terminal:</p>
      <CommandHint text="noetl-temporal register playbooks/hello_world.yaml" />
      <CommandHint text="noetl-temporal run playbooks/hello_world.yaml --server http://127.0.0.1:8082" />
      <p>
        Or write one: <a href={playbookAddress('new')}>a new playbook</a>. A history file dropped on this page
        opens as a run.
      </p>
    </Empty>
  );
}
