/** A run of this server: live, at any of its moments. */
import { type JSX } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ExplainedDecision } from '../../src/history';
import { deadlineAt } from '../../src/history/deadline';
import { type Plan } from '../../src/language/plan';
import { compact } from '../../src/language/plan/compact';
import { Loading, ProblemNote } from '../parts/empty';
import { StatusBadge } from '../parts/status';
import { duration, shortTime as timeOf } from '../parts/time';
import { Timestamp } from '../parts/when';
import { OriginLinks, shownStatus } from '../runs/origin';
import { type ServedExecution, type WorkflowTaskDocument } from '../../src/server/facade/documents';
import { useDocument, useNow } from '../server/use';
import { type Tape } from '../tape/tape';
import { go, playbookAddress, withQuery } from '../shell/address';
import { useMay, useSession } from '../shell/session';
import { Actions, Rerun, Waits } from './actions';
import { stepOf } from './facts';
import { LogsTab } from './logs';
import { type RunReading, useReader } from './reading';
import { useSource } from './source';
import { UnservedNote, useSummary } from './unserved';
import { RunView, type RunViewProps } from './view';
import { windowDecisions, windowMatches, useWindow, variablesAt } from './window';

interface Props {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

export default function RunPage({ path, query }: Props): JSX.Element {
  const id = path[1]!;
  const [rerunning, setRerunning] = useState<{ step?: string }>();
  const mayRun = useMay('run');
  const selected = query.get('select') ?? undefined;
  const [at, move] = useMoment(query.get('at'));
  const { tape, plan, over, failed, lost, ...run } = useRun(id, at);
  const { lines, answers } = run;
  const now = useSummary(id, over);
  const select = useCallback((what: string | undefined) => go(withQuery({ select: what }), true), []);
  if (failed) return <ProblemNote error={failed} />;
  if (!tape?.events.length || !plan)
    return lost ? (
      <p class="lost" role="alert">
        The server does not answer. Trying again …
      </p>
    ) : (
      <>
        <WorkflowTask id={id} />
        <Loading what={run.caughtUp ? 'Waiting for a worker to begin the run' : 'Reading the run'} />
        <UnservedNote queues={now.queues} />
      </>
    );
  const last = tape.at(tape.end);
  return (
    <>
      {!over && <WorkflowTask id={id} />}
      <Head
        id={id}
        {...{ tape, plan, over }}
        startedAt={run.startedAt!}
        summary={now.summary}
        onRerun={() => setRerunning({})}
      />
      {lost && (
        <p class="lost" role="alert">
          The server does not answer. What you see is what was last known; the page goes on by itself.
        </p>
      )}
      {run.divergence && <p class="lost">{run.divergence}</p>}
      <UnservedNote queues={now.queues} />
      {!over && tape.later === 0 && <Waits id={id} waits={[...last.waits.values()]} />}
      <RunView
        {...{ tape, plan, over, lines, at, selected }}
        unserved={now.tasks}
        {...answers}
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
          variables={tape.at(beginOf(rerunning.step, tape)).variables}
          source={lines.join('\n')}
          onClose={() => setRerunning(undefined)}
        />
      )}
    </>
  );
}

type Answers = Pick<RunViewProps, 'decisions' | 'variables' | 'onRecall' | 'onExplain' | 'onFind'>;

interface Run extends Pick<
  RunReading,
  'tape' | 'plan' | 'over' | 'lost' | 'failed' | 'caughtUp' | 'divergence'
> {
  readonly startedAt: string | undefined;
  readonly lines: readonly string[];
  readonly answers: Answers;
}

/** A run as this browser derives it; of a long one the window around a moment. */
function useRun(id: string, at: number | undefined): Run {
  const { reading, explain, recall } = useReader({ execution: id }, id);
  const { long = false, tape: begun, plan, decisions, variables, caughtUp, divergence } = reading;
  const lines = useSource(plan);
  const part = useWindow(id, long ? begun?.graph : undefined, at);
  const ofPart = useAsked(id, part.tape);
  const whole = { decisions, variables, onRecall: recall, onExplain: () => explain(lines) };
  const { over, lost, failed } = long ? part : reading;
  return {
    ...{ tape: part.tape ?? begun, plan, over, lost, caughtUp, lines },
    ...{ startedAt: begun?.events[0]?.timestamp, answers: part.tape ? ofPart : whole },
    ...compact({ failed, divergence }),
  };
}

/** What the server is asked about a long run, when somebody wants to see it. */
function useAsked(id: string, tape: Tape | undefined): Answers {
  const [answer, setAnswer] = useState<{ decisions: readonly ExplainedDecision[]; of: Tape; end: number }>();
  const [variables, setVariables] = useState<Answers['variables']>();
  const onFind = useCallback<NonNullable<Answers['onFind']>>(
    (text, after, signal) => windowMatches(id, text, after, signal),
    [id],
  );
  return {
    decisions: answer?.of === tape ? answer?.decisions : undefined,
    variables,
    onFind,
    onRecall: (seq) =>
      void variablesAt(id, seq).then(
        (values) => setVariables({ seq, values }),
        () => undefined,
      ),
    onExplain: () => {
      if (!tape || (answer?.of === tape && answer.end === tape.end)) return;
      const { end } = tape;
      void windowDecisions(id, tape).then(
        (decisions) => setAnswer({ decisions, of: tape, end }),
        () => undefined,
      );
    },
  };
}

/** Of a workflow task that fails: attempts are seconds apart at first, and then minutes. */
const TROUBLE_MS = 10_000;

/** Why no worker continues the run, if it is so. */
function WorkflowTask({ id }: { id: string }): JSX.Element | null {
  const { value } = useDocument<WorkflowTaskDocument>(`/api/executions/${id}/workflow-task`, TROUBLE_MS);
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
function beginOf(step: string | undefined, { events, first, end }: Tape): number {
  if (step === undefined) return end;
  const index = events.findLastIndex(
    (event) =>
      event.event_type === 'step.started' && (event.step_run_id === step || event.entity_id === step),
  );
  return index < 0 ? end : first + index;
}

const RESTING_MS = 200;

/** The moment that is shown; the address follows when the slider rests, since browsers take few changes of it a second. */
function useMoment(text: string | null): [number | undefined, (to: number | undefined) => void] {
  const [at, setAt] = useState(() => numberIn(text));
  /** The address as it is, or will be in a moment. */
  const address = useRef(text);
  useEffect(() => {
    // What was written here is no move: the slider may be elsewhere by now.
    if (address.current !== text) setAt(numberIn(text));
    address.current = text;
  }, [text]);
  useEffect(() => {
    const timer = setTimeout(() => {
      address.current = at === undefined ? null : String(at);
      go(withQuery({ at: address.current ?? undefined }), true);
    }, RESTING_MS);
    return () => clearTimeout(timer);
  }, [at]);
  return [at, setAt];
}

function numberIn(text: string | null): number | undefined {
  return text !== null && /^\d+$/.test(text) ? Math.max(1, Number(text)) : undefined;
}

/** When it had to be over, or has to be. @param end of the run, or now */
function Deadline({ at, end }: { at: number | undefined; end: number }): JSX.Element | null {
  if (at === undefined) return null;
  const iso = new Date(at).toISOString();
  return (
    <span data-late={end > at}>
      {' '}
      · {end > at && <b class="word failed">late</b>} due <Timestamp at={iso} as={timeOf} />
    </span>
  );
}

function dueOf(started: string, plan: Plan, summary: ServedExecution | undefined): number | undefined {
  if (!summary?.schedule) return deadlineAt(Date.parse(started), plan);
  const { name, scheduled_at, deadline_s: deadline } = summary.schedule;
  const schedule = { schedule: name, scheduled_at, ...(deadline !== null && { deadline }) };
  return deadlineAt(Date.parse(started), plan, { schedule });
}

interface HeadProps {
  readonly id: string;
  readonly tape: Tape;
  readonly plan: Plan;
  readonly over: boolean;
  readonly startedAt: string;
  readonly summary: ServedExecution | undefined;
  readonly onRerun: () => void;
}

function Head({ id, tape, plan, over, startedAt: started, summary, onRerun }: HeadProps): JSX.Element {
  const { temporal_ui: ui } = useSession();
  const last = tape.at(tape.end);
  const now = useNow(over ? undefined : 1000);
  const ended = summary?.end_time ? Date.parse(summary.end_time) : tape.timeAt(tape.end);
  const end = over ? ended : now;
  // A window may end before the run.
  const status = tape.later > 0 && summary ? summary.status : last.status;
  const { metadata, source } = plan;
  return (
    <header class="page-head run-head-line" data-execution={id} data-status={status}>
      <div>
        <h1>
          <a href={playbookAddress(metadata.path)}>{metadata.path}</a>
        </h1>
        <p class="where">
          <StatusBadge status={summary && over ? shownStatus(summary) : status} /> · {id}
          {source.catalog && ` · version ${String(source.catalog.version)}`} ·{' '}
          <Timestamp at={started} as={timeOf} /> · {duration(end - Date.parse(started))}
          {ui && (
            <>
              {' '}
              ·{' '}
              <a href={`${ui}/workflows/noetl-${id}`} target="_blank" rel="noreferrer">
                Temporal
              </a>
            </>
          )}
          {summary && <OriginLinks run={summary} />}
          <Deadline at={dueOf(started, plan, summary)} end={end} />
        </p>
      </div>
      <Actions id={id} status={status} over={over} onRerun={onRerun} />
    </header>
  );
}
