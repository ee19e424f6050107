/** A run of this server: live, at any of its moments. */
import { type JSX } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { Loading, Problem } from '../parts/empty';
import { Status } from '../parts/status';
import { duration, moment as timeOf } from '../parts/time';
import { When } from '../parts/when';
import { Origin, shownStatus } from '../runs/origin';
import { type Summary } from '../server/types';
import { useDocument, useNow } from '../server/use';
import { go, playbookAddress, withQuery } from '../shell/address';
import { useMay, useSession } from '../shell/session';
import { Actions, Rerun, Waits } from './actions';
import { stepOf } from './facts';
import { LogsTab } from './logs';
import { type Reading, useReader } from './reading';
import { useSource } from './source';
import { Unserved, useSummary } from './unserved';
import { RunView } from './view';

interface Props {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

export default function RunPage({ path, query }: Props): JSX.Element {
  const id = path[1]!;
  const { reading, explain, recall } = useReader({ execution: id }, id);
  const { tape, plan, failed, over } = reading;
  const lines = useSource(plan);
  const [rerunning, setRerunning] = useState<{ step?: string }>();
  const mayRun = useMay('run');
  const now = useSummary(id, over);
  const selected = query.get('select') ?? undefined;
  const [at, move] = useMoment(query.get('at'));
  const select = useCallback((what: string | undefined) => go(withQuery({ select: what }), true), []);
  if (failed) return <Problem error={failed} />;
  if (!tape?.events.length || !plan)
    return reading.lost ? (
      <p class="lost" role="alert">
        The server does not answer. Trying again …
      </p>
    ) : (
      <>
        <WorkflowTask id={id} />
        <Loading what={reading.caughtUp ? 'Waiting for a worker to begin the run' : 'Reading the run'} />
        <Unserved queues={now.queues} />
      </>
    );
  const last = tape.at(tape.events.length);
  return (
    <>
      {!over && <WorkflowTask id={id} />}
      <Head id={id} reading={reading} summary={now.summary} onRerun={() => setRerunning({})} />
      {reading.lost && (
        <p class="lost" role="alert">
          The server does not answer. What you see is what was last known; the page goes on by itself.
        </p>
      )}
      {reading.divergence && <p class="lost">{reading.divergence}</p>}
      <Unserved queues={now.queues} />
      {!over && <Waits id={id} waits={reading.waits} />}
      <RunView
        {...{ tape, plan, over, lines, at, selected }}
        unserved={now.tasks}
        decisions={reading.decisions}
        variables={reading.variables}
        onRecall={recall}
        onExplain={() => explain(lines)}
        onMove={move}
        onSelect={select}
        more={{ Logs: (shown) => <LogsTab id={id} {...shown} /> }}
        actionsOf={(selection) =>
          mayRun && last.steps.has(stepOf(selection)!) ? (
            <button type="button" onClick={() => setRerunning({ step: stepToRerun(selection) })}>
              Run again from here
            </button>
          ) : null
        }
      />
      {rerunning && (
        <Rerun
          id={id}
          {...rerunning}
          workload={last.workload}
          variables={tape.at(beginOf(rerunning.step, reading)).variables}
          source={lines.join('\n')}
          onClose={() => setRerunning(undefined)}
        />
      )}
    </>
  );
}

/** Of a workflow task that fails: attempts are seconds apart at first, and then minutes. */
const TROUBLE_MS = 10_000;

/** Why no worker continues the run, if it is so. */
function WorkflowTask({ id }: { id: string }): JSX.Element | null {
  const { value } = useDocument<{ workflow_task: { code: string; message: string; hint: string } | null }>(
    `/api/executions/${id}/workflow-task`,
    TROUBLE_MS,
  );
  if (!value?.workflow_task) return null;
  const { code, message, hint } = value.workflow_task;
  return (
    <p class="lost" role="alert">
      <b>{code}</b> {message}. {hint}
    </p>
  );
}

/** A step, or the run of it that is selected. */
function stepToRerun(selection: string): string {
  return /^[^[\].]+#\d+/.exec(selection)?.[0] ?? stepOf(selection)!;
}

/** Events before a step, or a run of it, began last. */
function beginOf(step: string | undefined, { tape }: Reading): number {
  const events = tape?.events ?? [];
  if (step === undefined) return events.length;
  const index = events.findLastIndex(
    (event) =>
      event.event_type === 'step.started' && (event.step_run_id === step || event.entity_id === step),
  );
  return index < 0 ? events.length : index;
}

const RESTING_MS = 200;

/** The moment that is shown; the address follows when the slider rests, since browsers take few changes of it a second. */
function useMoment(text: string | null): [number | undefined, (to: number | undefined) => void] {
  const [at, setAt] = useState(() => numberIn(text));
  useEffect(() => setAt(numberIn(text)), [text]);
  useEffect(() => {
    const timer = setTimeout(
      () => go(withQuery({ at: at === undefined ? undefined : String(at) }), true),
      RESTING_MS,
    );
    return () => clearTimeout(timer);
  }, [at]);
  return [at, setAt];
}

function numberIn(text: string | null): number | undefined {
  return text !== null && /^\d+$/.test(text) ? Math.max(1, Number(text)) : undefined;
}

interface HeadProps {
  readonly id: string;
  readonly reading: Reading;
  readonly summary: Summary | undefined;
  readonly onRerun: () => void;
}

function Head({ id, reading, summary, onRerun }: HeadProps): JSX.Element {
  const { tape, plan, over } = reading;
  const { temporal_ui: ui } = useSession();
  const last = tape!.at(tape!.events.length);
  const started = tape!.events[0]!.timestamp;
  const now = useNow(over ? undefined : 1000);
  const end = over ? tape!.timeAt(tape!.events.length) : now;
  const { metadata, source } = plan!;
  return (
    <header class="page-head run-head-line" data-execution={id} data-status={last.status}>
      <div>
        <h1>
          <a href={playbookAddress(metadata.path)}>{metadata.path}</a>
        </h1>
        <p class="where">
          <Status status={summary && over ? shownStatus(summary) : last.status} /> · {id}
          {source.catalog && ` · version ${String(source.catalog.version)}`} ·{' '}
          <When at={started} as={timeOf} /> · {duration(end - Date.parse(started))}
          {ui && (
            <>
              {' '}
              ·{' '}
              <a href={`${ui}/workflows/noetl-${id}`} target="_blank" rel="noreferrer">
                Temporal
              </a>
            </>
          )}
          {summary && <Origin run={summary} />}
        </p>
      </div>
      <Actions id={id} status={last.status} over={over} onRerun={onRerun} />
    </header>
  );
}
