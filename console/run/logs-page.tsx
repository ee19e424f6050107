/** Logs as a page: of a run (`run`), or of a task of it, or of the runs of a playbook (`path`). */
import { type JSX } from 'preact';
import { Loading, ProblemNote } from '../parts/empty';
import { StatusBadge } from '../parts/status';
import { shortTime as timeOf } from '../parts/time';
import { Timestamp } from '../parts/when';
import { useRuns } from '../runs/list';
import { shownStatus } from '../runs/origin';
import { type ServedExecution, type StepProgress } from '../../src/server/facade/documents';
import { useDocument } from '../server/use';
import { playbookAddress, runAddress } from '../shell/address';
import { Logs, type LogNarrowing } from './logs';

interface Props {
  readonly query: URLSearchParams;
}

export default function LogsPage({ query }: Props): JSX.Element {
  const [run, path] = [query.get('run'), query.get('path')];
  const given = (name: string): string | undefined => query.get(name) ?? undefined;
  const within: LogNarrowing = {
    step: given('step'),
    task: given('task'),
    iteration: given('iteration'),
  } as LogNarrowing;
  if (run) return <OfRun key={run} {...{ run, within }} />;
  if (path) return <OfPlaybook key={path} {...{ path, within }} />;
  return (
    <ProblemNote
      error={{ message: 'Logs of what? The address needs a run=ID, or the path=… of a playbook.' }}
    />
  );
}

function OfRun({ run, within }: { run: string; within: LogNarrowing }): JSX.Element {
  const { value, error } = useDocument<ServedExecution>(`/api/executions/${run}/summary`, 2_000);
  const steps = useSteps(run);
  // Logs outlive what Temporal knows about the run.
  if (!value && !error) return <Loading />;
  const over = value === undefined || value.end_time !== null;
  return (
    <>
      <header class="page-head">
        <h1>
          Logs of <a href={runAddress(run)}>{value?.path ?? run}</a>
        </h1>
        <p class="where">
          {value && <StatusBadge status={shownStatus(value)} />} {run} {within.task && `· ${within.task}`}
        </p>
      </header>
      <Logs runs={[{ id: run, over }]} {...{ within, steps }} silence="No task printed anything." />
    </>
  );
}

function OfPlaybook({ path, within }: { path: string; within: LogNarrowing }): JSX.Element {
  const query = new URLSearchParams({ path }).toString();
  const { runs, loaded, more, error } = useRuns(query, query);
  const steps = useSteps(runs[0]?.execution_id);
  const shown = runs.map((run) => ({
    id: run.execution_id,
    over: run.end_time !== null,
    title: (
      <>
        <StatusBadge status={shownStatus(run)} />{' '}
        <a href={runAddress(run.execution_id)}>{run.execution_id}</a>{' '}
        <Timestamp at={run.start_time} as={timeOf} />
      </>
    ),
  }));
  return (
    <>
      <header class="page-head">
        <h1>
          Logs of all runs of <a href={playbookAddress(path)}>{path}</a>
        </h1>
      </header>
      {error && <ProblemNote error={error} />}
      {!loaded && !error && <Loading />}
      {loaded && (
        <Logs runs={shown} {...{ within, steps }} onEnd={more} silence="None has printed anything." />
      )}
    </>
  );
}

function useSteps(run: string | undefined): readonly string[] {
  const { value } = useDocument<{ nodes: readonly StepProgress[] }>(run && `/api/executions/${run}/graph`);
  return (value?.nodes ?? []).flatMap(({ step }) => step ?? []);
}
