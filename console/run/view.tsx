/** A run from any source: slider, graph, timeline, and a panel about the selected element. */
import { type ComponentChildren, type JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type ExplainedDecision } from '../../src/history';
import { type Plan } from '../../src/language/plan';
import { compact } from '../../src/language/plan/compact';
import { Coverage } from '../../src/offline/proof/coverage/coverage';
import { withCoverage } from '../../src/offline/proof/coverage/graph';
import { JsonValue } from '../parts/json';
import { useKept } from '../parts/kept';
import { Splitter } from '../parts/splitter';
import { useNow } from '../server/use';
import { useParam } from '../shell/address';
import { useActions } from '../shell/keys';
import { type Moment } from '../../src/history/moment';
import { type AskMoment, useMoment } from '../tape/moment';
import { type Tape } from '../tape/tape';
import { Decisions } from './decisions';
import { Details } from './details';
import { EventList, type Find } from './event-list';
import { stepOf } from './facts';
import { CoverageToggle } from './coverage-toggle';
import { GraphBox } from './graph-box';
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
  const [pane, setPane] = useParam('pane');
  const [across, setAcross] = useKept('run.across', String(ACROSS));
  const [down, setDown] = useKept('run.down', String(DOWN));
  const alone = (name: Pane): JSX.Element => (
    <FullScreen
      name={name}
      isFull={pane === name}
      onChange={(isFull) => setPane(isFull ? name : undefined)}
    />
  );
  useActions(
    PANES.map((name, index) => ({
      ...{ name: `Full screen: ${name}`, key: String(index + 1) },
      run: () => setPane(pane === name ? undefined : name),
    })),
  );
  const graph = useMemo(
    () => (
      <GraphBox
        graph={drawn}
        {...{ moment, selected: step }}
        onSelect={(name) =>
          onSelect(name === step && selected === `step:${name}` ? undefined : `step:${name}`)
        }
      >
        {alone('graph')}
        {tape.isWhole && <CoverageToggle on={covers} onChange={setCovers} />}
      </GraphBox>
    ),
    [drawn, moment, selected, pane, covers, tape.isWhole],
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
      <div
        class="run-body"
        data-pane={PANES.find((name) => name === pane)}
        style={{ '--across': `${across}%`, '--down': `${down}%` }}
      >
        {graph}
        <Splitter
          label="Between graph and timeline"
          value={Number(down)}
          initial={DOWN}
          onChange={(value) => setDown(String(value))}
        />
        <Timeline {...{ tape, until, unserved, onSelect, ...compact({ selected }) }} at={here}>
          {alone('timeline')}
        </Timeline>
        <Splitter
          isUpright
          label="Between graph and details"
          value={Number(across)}
          initial={ACROSS}
          onChange={(value) => setAcross(String(value))}
        />
        {moment && (
          <Panel {...props} count={count} moment={moment} here={here} plan={plan}>
            {alone('panel')}
          </Panel>
        )}
      </div>
    </div>
  );
}

const NONE: ReadonlySet<string> = new Set();
const PANES = ['graph', 'timeline', 'panel'] as const;
type Pane = (typeof PANES)[number];
/** Where the borders of the panes are at first, in percent. */
const [ACROSS, DOWN] = [66, 55];

interface FullScreenProps {
  readonly name: Pane;
  readonly isFull: boolean;
  readonly onChange: (isFull: boolean) => void;
}

function FullScreen({ name, isFull, onChange }: FullScreenProps): JSX.Element {
  return (
    <button
      type="button"
      class="chip full-screen"
      aria-pressed={isFull}
      aria-label={`Full screen: ${name}`}
      title="Full screen"
      onClick={() => onChange(!isFull)}
    >
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path
          d={isFull ? 'M6 2v4H2M10 2v4h4M6 14v-4H2M10 14v-4h4' : 'M2 6V2h4M14 6V2h-4M2 10v4h4M14 10v4h-4'}
        />
      </svg>
    </button>
  );
}

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
  /** Further controls. */
  readonly children: ComponentChildren;
}

function Panel(props: PanelProps): JSX.Element {
  const { tape, plan, count, moment, here, at, selected, onSelect, lines, more = {}, actionsOf } = props;
  const tabs = [...TABS, ...Object.keys(more)];
  const [given, setTab] = useParam('tab');
  const tab = tabs.find((name) => name === given) ?? 'Details';
  useActions(tabs.map((name) => ({ name, run: () => setTab(name) })));
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
      {props.children}
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
