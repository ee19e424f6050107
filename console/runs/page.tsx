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
import { Causes } from './causes';
import { Filters, listQuery, whereText } from './filters';
import { type RunList, useRuns } from './list';
import { OriginLinks, shownStatus } from './origin';
import { StepBar } from './steps';

const ROW = 52;

export default function RunsPage({ query }: { query: URLSearchParams }): JSX.Element {
  const key = query.toString();
  const search = useMemo(() => listQuery(query).toString(), [key]);
  const list = useRuns(search, key);
  const { runs, loaded, error, total = runs.length } = list;
  const isGrouped = query.get('group') === 'cause';
  return (
    <>
      <header class="page-head">
        <h1>Runs</h1>
        {loaded && <span class="count">{total === 1 ? '1 run' : `${String(total)} runs`}</span>}
        {useMay('run') && (
          <a class="button primary" href="/playbooks">
            Start a playbook
          </a>
        )}
      </header>
      <Filters query={query} />
      {list.isBehind && (
        <p class="hint" role="status">
          The projection has not read the newest runs, and texts, inputs and errors are found only in what it
          has read: does <code>noetl-temporal project</code> run?
        </p>
      )}
      {error && !loaded && <ProblemNote error={error} />}
      {!loaded && !error && <Loading what="Loading the runs" />}
      {isGrouped ? <Causes search={search} /> : <Rows list={list} query={query} />}
    </>
  );
}

function Rows({ list, query }: { list: RunList; query: URLSearchParams }): JSX.Element | null {
  const { runs, loaded, more, again, total } = list;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const mayRun = useMay('run');
  const now = useNow(runs.some((run) => run.end_time === null) ? 1000 : undefined);
  const toggle = (id: string): void => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    setSelected(next);
  };
  const chosen = runs.filter((run) => selected.has(run.execution_id));
  if (runs.length === 0) return loaded ? <NoRuns filtered={query.toString() !== ''} /> : null;
  return (
    <>
      {chosen.length > 0 && (
        <BatchActions
          runs={chosen}
          {...(total !== undefined && {
            matching: { total, where: (statuses?: string) => whereText(query, statuses) },
          })}
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
        count={runs.length}
        rowHeight={ROW}
        onEnd={more}
        row={(index) => {
          const run = runs[index]!;
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
        <a href={runAddress(run.execution_id)}>
          {run.path || 'a playbook without a path'}
          {run.run_name !== null && <span data-origin="name"> · {run.run_name}</span>}
        </a>
        <small>
          {run.execution_id}
          {run.version !== null && ` · ${versionOf(run.version)}`}
          {run.error && <em class="why"> · {run.error}</em>}
          <OriginLinks run={run} plain />
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

function NoRuns({ filtered }: { filtered: boolean }): JSX.Element {
  if (filtered)
    return (
      <Empty title="No run fits these filters">
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
