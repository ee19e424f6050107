/** A run on this server: live, or after any of its events. */
import { type JSX } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ExplainedDecision } from '../../src/history';
import { deadlineAt } from '../../src/history/deadline';
import { type Moment } from '../../src/history/moment';
import { type Plan } from '../../src/language/plan';
import { compact } from '../../src/language/plan/compact';
import { Code } from '../parts/code';
import { Loading, ProblemNote } from '../parts/empty';
import { StatusBadge } from '../parts/status';
import { duration, shortTime as timeOf } from '../parts/time';
import { Timestamp } from '../parts/when';
import { type RunReading } from '../reading/told';
import { OriginLinks, shownStatus } from '../runs/origin';
import { askApi } from '../server/api';
import { type ServedExecution, type WorkflowTaskDocument } from '../../src/server/facade/documents';
import { useDocument, useNow } from '../server/use';
import { type AskMoment, useMoment } from '../tape/moment';
import { type Tape } from '../tape/tape';
import { go, playbookAddress, withQuery } from '../shell/address';
import { useMay, useSession } from '../shell/session';
import { say } from '../shell/toast';
import { Actions, Waits } from './actions';
import { Rerun } from './rerun';
import { stepOf } from './facts';
import { LogsTab } from './logs';
import { useReader } from './reading';
import { useSource } from './source';
import { UnservedNote, useSummary } from './unserved';
import { RunView, type RunViewProps } from './view';
import { windowDecisions, windowMatches, useWindow } from './window';

interface Props {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

export default function RunPage({ path, query }: Props): JSX.Element {
  const id = path[1]!;
  const [rerunning, setRerunning] = useState<{ step?: string; moment: Moment }>();
  const mayRun = useMay('run');
  const selected = query.get('select') ?? undefined;
  const [at, move] = usePosition(query.get('at'));
  const { tape, plan, over, failed, lost, ask, ...run } = useRun(id, at);
  const { lines, answers } = run;
  const last = useMoment(ask, tape?.seqAt(tape.total) ?? 0);
  const now = useSummary(id, over);
  const select = useCallback((what: string | undefined) => go(withQuery({ select: what }), true), []);
  if (failed) return <ProblemNote error={failed} />;
  if (!tape || !plan || !last)
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
  const rerun = (step?: string): void =>
    void ask(tape.seqAt(beginOf(step, tape))).then(
      (moment) => setRerunning({ ...compact({ step }), moment }),
      (error: Error) => say(error.message),
    );
  return (
    <>
      {!over && <WorkflowTask id={id} />}
      <Head
        id={id}
        {...{ tape, plan, over, last }}
        startedAt={run.startedAt!}
        summary={now.summary}
        onRerun={() => rerun()}
      />
      {lost && (
        <p class="lost" role="alert">
          The server does not answer. What you see is what was last known; the page goes on by itself.
        </p>
      )}
      {run.divergence && <p class="lost">{run.divergence}</p>}
      <UnservedNote queues={now.queues} />
      {!over && <Waits id={id} waits={last.waits.map(([, wait]) => wait)} />}
      <RunView
        {...{ tape, plan, over, lines, at, selected, ask }}
        unserved={now.tasks}
        {...answers}
        onMove={move}
        onSelect={select}
        more={{ Logs: (shown) => <LogsTab {...{ id, over }} {...shown} /> }}
        actionsOf={(selection) =>
          mayRun && last.steps.some(([step]) => step === stepOf(selection)) ? (
            <button type="button" onClick={() => rerun(stepToRerun(selection))}>
              Run again from here
            </button>
          ) : null
        }
      />
      {rerunning && (
        <Rerun id={id} {...rerunning} source={lines.join('\n')} onClose={() => setRerunning(undefined)} />
      )}
    </>
  );
}

type Answers = Pick<RunViewProps, 'decisions' | 'onExplain' | 'onFind'>;

interface Run extends Pick<
  RunReading,
  'tape' | 'plan' | 'over' | 'lost' | 'failed' | 'caughtUp' | 'divergence'
> {
  readonly startedAt: string | undefined;
  readonly lines: readonly string[];
  readonly ask: AskMoment;
  readonly answers: Answers;
}

/** A run as this browser derives it; of a long run, the window around the displayed event. */
function useRun(id: string, at: number | undefined): Run {
  const { reading, explain, ask } = useReader({ execution: id }, id);
  const { long = false, tape: begun, plan, decisions, caughtUp, divergence } = reading;
  const lines = useSource(plan);
  const part = useWindow(id, long ? begun?.graph : undefined, at);
  const ofPart = useAsked(id, part.tape);
  const whole = { decisions, onExplain: () => explain(lines) };
  const askServer = useCallback<AskMoment>(
    (seq) => askApi(`/api/executions/${id}/moment?at=${String(seq)}`),
    [id],
  );
  const { over, lost, failed } = long ? part : reading;
  return {
    ...{ tape: part.tape ?? begun, plan, over, lost, caughtUp, lines, ask: long ? askServer : ask },
    ...{ startedAt: begun?.events[0]?.timestamp, answers: part.tape ? ofPart : whole },
    ...compact({ failed, divergence }),
  };
}

/** What the page asks the server about a long run, on demand. */
function useAsked(id: string, tape: Tape | undefined): Answers {
  const [answer, setAnswer] = useState<{ decisions: readonly ExplainedDecision[]; of: Tape; end: number }>();
  const onFind = useCallback<NonNullable<Answers['onFind']>>(
    (criteria, after, signal) => windowMatches(id, criteria, after, signal),
    [id],
  );
  return {
    decisions: answer?.of === tape ? answer?.decisions : undefined,
    onFind,
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

/** Interval for checking on a failing workflow task: its attempts are seconds apart at first, later minutes. */
const TROUBLE_MS = 10_000;

/** Why the run does not continue, if its workflow task fails. */
function WorkflowTask({ id }: { id: string }): JSX.Element | null {
  const { value } = useDocument<WorkflowTaskDocument>(`/api/executions/${id}/workflow-task`, TROUBLE_MS);
  if (!value?.workflow_task) return null;
  const { code, message, hint } = value.workflow_task;
  return (
    <p class="lost" role="alert">
      <Code of={code} /> {message}. {hint}
    </p>
  );
}

/** The selected step run, or its step. */
function stepToRerun(selection: string): string {
  return /^[^[\].]+#\d+/.exec(selection)?.[0] ?? stepOf(selection)!;
}

/** Number of events before the last start of a step or step run. */
function beginOf(step: string | undefined, { events, first, end }: Tape): number {
  if (step === undefined) return end;
  const index = events.findLastIndex(
    (event) =>
      event.event_type === 'step.started' && (event.step_run_id === step || event.entity_id === step),
  );
  return index < 0 ? end : first + index;
}

const RESTING_MS = 200;

/** The slider's position. The address follows when the slider rests: browsers limit how often it may change. */
function usePosition(text: string | null): [number | undefined, (to: number | undefined) => void] {
  const [at, setAt] = useState(() => numberIn(text));
  /** The address as it is, or as it is about to be written. */
  const address = useRef(text);
  useEffect(() => {
    // The page's own write is not a move: the slider may be elsewhere by now.
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

/** The deadline, and whether it has passed. @param end of the run, or now */
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
  readonly last: Moment;
  readonly startedAt: string;
  readonly summary: ServedExecution | undefined;
  readonly onRerun: () => void;
}

function Head({ id, tape, plan, over, last, startedAt: started, summary, onRerun }: HeadProps): JSX.Element {
  const { temporal_ui: ui } = useSession();
  const now = useNow(over ? undefined : 1000);
  const ended = summary?.end_time ? Date.parse(summary.end_time) : tape.timeAt(tape.end);
  const end = over ? ended : now;
  const { status } = last;
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
