/** A run from any source: slider, graph, timeline, and a panel about the selected element. */
import { type ComponentChildren, type JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type ExplainedDecision } from '../../src/history';
import { type Plan } from '../../src/language/plan';
import { compact } from '../../src/language/plan/compact';
import { Coverage } from '../../src/offline/proof/coverage/coverage';
import { withCoverage } from '../../src/offline/proof/coverage/graph';
import { JsonValue } from '../parts/json';
import { useNow } from '../server/use';
import { type Moment } from '../../src/history/moment';
import { type AskMoment, useMoment } from '../tape/moment';
import { type Tape } from '../tape/tape';
import { Decisions } from './decisions';
import { Details } from './details';
import { EventList, type Find } from './event-list';
import { stepOf } from './facts';
import { CoverageToggle } from './coverage-toggle';
import { GraphView } from './graph';
import { Slider } from './slider';
import { Timeline } from './timeline';

const TABS = ['Details', 'Variables', 'Decisions', 'Events'] as const;
type Tab = string;

export interface RunViewProps {
  readonly tape: Tape;
  readonly plan: Plan;
  /** The run has ended. */
  readonly over: boolean;
  readonly lines: readonly string[];
  readonly decisions: readonly ExplainedDecision[] | undefined;
  readonly ask: AskMoment;
  /** Tasks in queues without workers, as far as the server knows. */
  readonly unserved?: ReadonlySet<string>;
  /** Called when decisions are to be shown. */
  readonly onExplain: () => void;
  /** Number of events up to the displayed one; undefined follows the run. */
  readonly at: number | undefined;
  readonly selected: string | undefined;
  readonly onMove: (at: number | undefined) => void;
  readonly onSelect: (selection: string | undefined) => void;
  /** Searches events that the page does not have. */
  readonly onFind?: Find;
  /** Actions for the selected element. */
  readonly actionsOf?: (selection: string) => ComponentChildren;
  /** Further tabs, by name. */
  readonly more?: Readonly<Record<string, (shown: ShownMoment) => ComponentChildren>>;
}

export interface ShownMoment {
  readonly selected: string | undefined;
  /** The displayed time in milliseconds since the epoch; undefined follows the run. */
  readonly until: number | undefined;
}

export function RunView(props: RunViewProps): JSX.Element {
  const { tape, plan, over, at, selected, unserved = NONE, onMove, onSelect } = props;
  const { total } = tape;
  const count = Math.min(at ?? total, total);
  const moment = useMoment(props.ask, tape.seqAt(count));
  const isLive = at === undefined && !over;
  const now = useNow(isLive ? 500 : undefined);
  const end = tape.timeAt(tape.end);
  const until = over || tape.later > 0 ? end : Math.max(end, now);
  const here = at === undefined ? until : tape.timeAt(count);
  const step = stepOf(selected);
  const [covers, setCovers] = useState(false);
  const drawn = useMemo(
    () => (covers && tape.isWhole ? covered(tape, plan, count) : tape.graph),
    [tape, plan, covers, covers && count],
  );
  const graph = useMemo(
    () => (
      <GraphView
        graph={drawn}
        {...compact({ moment })}
        {...(step === undefined ? {} : { selected: step })}
        onSelect={(name) =>
          onSelect(name === step && selected === `step:${name}` ? undefined : `step:${name}`)
        }
      />
    ),
    [drawn, moment, selected],
  );
  return (
    <div class="run">
      <Slider tape={tape} at={at} over={over} onMove={onMove} />
      {!tape.isWhole && <Part tape={tape} />}
      {tape.leftOut > 0 && (
        <p class="left-out">
          {tape.leftOut.toLocaleString('en')} events of iterations are not shown: the first 50,000 are, and
          all failures. <code>noetl-temporal events</code> prints every event.
        </p>
      )}
      <div class="run-body">
        <div class="graph-box" tabIndex={0} role="region" aria-label="Graph of the run">
          {graph}
          {tape.isWhole && <CoverageToggle on={covers} onChange={setCovers} />}
        </div>
        <Timeline {...{ tape, until, unserved, onSelect, ...compact({ selected }) }} at={here} />
        {moment && <Panel {...props} count={count} moment={moment} here={here} plan={plan} />}
      </div>
    </div>
  );
}

const NONE: ReadonlySet<string> = new Set();

function Part({ tape }: { tape: Tape }): JSX.Element {
  const words = [tape.first + 1, tape.end, tape.total].map((count) => count.toLocaleString('en'));
  return (
    <p class="left-out" data-first={tape.first} data-end={tape.end}>
      A long run: timeline, values, decisions and the list show its events {words[0]} to {words[1]} of{' '}
      {words[2]}, the graph all that had happened. Move the slider, or search the events.
    </p>
  );
}

/** The graph with what the run has covered by then. */
function covered(tape: Tape, plan: Plan, count: number): Tape['graph'] {
  const coverage = new Coverage();
  coverage.take(tape.until(count));
  return withCoverage(tape.graph, plan, coverage.touches);
}

interface PanelProps extends RunViewProps {
  readonly count: number;
  readonly moment: Moment;
  readonly here: number;
}

function Panel(props: PanelProps): JSX.Element {
  const { tape, plan, count, moment, here, at, selected, onSelect, lines, more = {}, actionsOf } = props;
  const [tab, setTab] = useState<Tab>('Details');
  const tabs = [...TABS, ...Object.keys(more)];
  return (
    <aside class="panel" aria-label="What is selected">
      <div
        class="tabs"
        role="tablist"
        aria-label="Panel"
        onKeyDown={(event) => moveTab(event, tabs, tab, setTab)}
      >
        {tabs.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-selected={tab === name}
            aria-controls="panel-shown"
            tabIndex={tab === name ? 0 : -1}
            onClick={() => setTab(name)}
          >
            {name}
          </button>
        ))}
      </div>
      <div class="panel-body" role="tabpanel" id="panel-shown" aria-labelledby={`tab-${tab}`} tabIndex={0}>
        {tab === 'Details' && (
          <Details
            {...{ tape, plan, moment, count, selected, lines, onSelect }}
            at={here}
            actions={selected === undefined ? undefined : actionsOf?.(selected)}
          />
        )}
        {tab === 'Variables' && <Variables values={moment.variables} />}
        {tab === 'Decisions' && <DecisionsTab {...props} />}
        {tab === 'Events' && (
          <EventList
            {...{ tape, count, selected }}
            onMove={props.onMove}
            {...(props.onFind ? { onFind: props.onFind } : {})}
          />
        )}
        {more[tab]?.({ selected, until: at === undefined ? undefined : here })}
      </div>
    </aside>
  );
}

function moveTab(event: KeyboardEvent, tabs: readonly Tab[], tab: Tab, setTab: (tab: Tab) => void): void {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  const next = tabs[(tabs.indexOf(tab) + by + tabs.length) % tabs.length]!;
  setTab(next);
  document.getElementById(`tab-${next}`)?.focus();
}

function Variables({ values }: { values: Readonly<Record<string, unknown>> }): JSX.Element {
  if (Object.keys(values).length === 0)
    return (
      <p class="hint">
        No variable is set yet. A step sets one with <code>set: {'{ctx.name: …}'}</code>.
      </p>
    );
  return <JsonValue value={values} open={2} label="the variables" />;
}

/** Decisions are computed when the tab is open, and again after new events. */
function DecisionsTab({ tape, decisions, onExplain, count, selected }: PanelProps): JSX.Element {
  useEffect(() => {
    const timer = setTimeout(onExplain, decisions === undefined ? 0 : 1000);
    return () => clearTimeout(timer);
  }, [tape.first, tape.end]);
  if (decisions === undefined) return <p class="hint">Working out why …</p>;
  return <Decisions decisions={decisions} seq={tape.eventAt(count)?.seq ?? 0} selected={selected} />;
}
