/** The timeline: one row per step run, iteration, task or attempt; only visible rows are drawn. */
import { type ComponentChildren, type JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Sign } from '../parts/status';
import { duration } from '../parts/time';
import { VirtualRows } from '../parts/virtual';
import { isOutside, spanStateAt, type SpanPart, type TapeSpan } from '../tape/spans';
import { type Tape } from '../tape/tape';
import { Axis, around, type AxisState, inSight, percent, useAxis, zoomed, zoomOf } from './axis';
import { type Scale } from './scale';

const ROW = 28;

interface Props {
  readonly tape: Tape;
  /** Milliseconds since the epoch: the displayed time, and the right edge of running spans. */
  readonly at: number;
  readonly until: number;
  readonly selected?: string;
  /** Tasks (`start#1.fetch@1`) in queues without workers, as far as the server knows. */
  readonly unserved: ReadonlySet<string>;
  readonly onSelect: (id: string, kind: TapeSpan['kind']) => void;
  /** Further controls. */
  readonly children?: ComponentChildren;
}

const PARTS = {
  waiting: 'waits for its turn or for a retry',
  queue: 'in the queue, until a worker takes it',
  work: 'runs',
  outside: 'waits for something outside',
} as const;

export function Timeline(props: Props): JSX.Element {
  const { tape, at, until, selected, unserved, onSelect, children } = props;
  const { spans } = tape;
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [failedOnly, setFailedOnly] = useState(false);
  const rows = useMemo(
    () => (failedOnly ? failedRows(spans.roots, open) : flat(spans.roots, open)),
    [spans, spans.version, open, failedOnly],
  );
  const begin = (tape.isWhole ? spans.roots[0]?.from : undefined) ?? tape.timeAt(tape.first + 1);
  const axis = useAxis(tape, begin, until);
  const { scale } = axis;
  const index = rows.findIndex((row) => row.id === selected);
  const toggle = (id: string): void => {
    const next = new Set(open);
    if (!next.delete(id)) next.add(id);
    setOpen(next);
  };
  const key = (event: KeyboardEvent): void => {
    const here = rows[index];
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const zoom = zoomOf(event, axis, at);
    if (zoom) axis.show(zoom);
    else if (move !== undefined) {
      const next = rows[Math.max(0, Math.min(rows.length - 1, index + move))];
      if (next) onSelect(next.id, next.kind);
    } else if (here && event.key === 'ArrowRight' && !open.has(here.id)) toggle(here.id);
    else if (here && event.key === 'ArrowLeft' && open.has(here.id)) toggle(here.id);
    else return;
    event.preventDefault();
  };
  return (
    <section class="timeline" aria-label="Timeline">
      <Head {...{ axis, at, failedOnly }} failures={spans.failures} onFailedOnly={setFailedOnly}>
        {children}
      </Head>
      <Axis axis={axis} />
      <VirtualRows
        class="span-rows"
        label="Timeline"
        role="tree"
        count={rows.length}
        rowHeight={ROW}
        {...(index >= 0 ? { reveal: index } : {})}
        onKeyDown={key}
        row={(rowIndex) => {
          const span = rows[rowIndex]!;
          const below = childrenOf(span);
          const waits = at >= until && isUnserved(span, unserved);
          const look = waits ? 'queued' : spanStateAt(span, at);
          return (
            <div
              key={span.id}
              class={`span-row${span.id === selected ? ' selected' : ''}${span.from > at ? ' later' : ''}`}
              role="treeitem"
              aria-level={span.depth + 1}
              aria-selected={span.id === selected}
              aria-expanded={below.length > 0 ? open.has(span.id) : undefined}
              data-span={span.id}
              data-unserved={waits || undefined}
              onClick={() => onSelect(span.id, span.kind)}
              onDblClick={() => axis.show(around(span, until))}
            >
              <span class="span-name" style={{ paddingLeft: `${String(6 + span.depth * 14)}px` }}>
                <Unfold has={below.length > 0} isOpen={open.has(span.id)} onToggle={() => toggle(span.id)} />
                <Sign look={look} />
                <span class="span-label">{span.label}</span> <span class="unseen">{look}</span>
                {below.length > 1 && <small>{below.length}</small>}
                {span.failures && <small class="word failed">✕ {span.failures.length}</small>}
              </span>
              <span class="bars">
                {barsOf(span).map((part, partIndex) => (
                  <Bar key={partIndex} part={part} scale={scale} until={until} />
                ))}
                <FailureMarks times={span.failures ?? NO_TIMES} scale={scale} />
                {at < until && <i class="veil" style={{ left: percent(scale.place(at)) }} />}
                {inSight(scale.place(at)) && <i class="cursor" style={{ left: percent(scale.place(at)) }} />}
              </span>
              <span class="span-took">{duration((span.to ?? until) - span.from)}</span>
            </div>
          );
        }}
      />
    </section>
  );
}

const NO_TIMES: readonly number[] = [];

interface UnfoldProps {
  readonly has: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function Unfold({ has, isOpen, onToggle }: UnfoldProps): JSX.Element {
  if (!has) return <span class="unfold" />;
  return (
    <button
      type="button"
      class="unfold"
      tabIndex={-1}
      aria-hidden="true"
      onClick={(event) => (event.stopPropagation(), onToggle())}
    >
      {isOpen ? '▾' : '▸'}
    </button>
  );
}

interface HeadProps {
  readonly axis: AxisState;
  readonly at: number;
  readonly failures: number;
  readonly failedOnly: boolean;
  readonly onFailedOnly: (on: boolean) => void;
  readonly children?: ComponentChildren;
}

function Head({ axis, at, failures, failedOnly, onFailedOnly, children }: HeadProps): JSX.Element {
  const isWhole = axis.window[0] === axis.whole[0] && axis.window[1] === axis.whole[1];
  return (
    <div class="timeline-head">
      <h2>Timeline</h2>
      <span class="legend">
        {Object.entries(PARTS).map(([kind, meaning]) => (
          <span key={kind} title={meaning}>
            <i class={`part ${kind}`} /> {kind}
          </span>
        ))}
      </span>
      {failures > 0 && (
        <button
          type="button"
          class="chip"
          aria-pressed={failedOnly}
          onClick={() => onFailedOnly(!failedOnly)}
        >
          Failed only
        </button>
      )}
      {axis.folds !== undefined && (
        <button type="button" class="chip" aria-pressed={axis.folds} onClick={axis.onFold}>
          Fold pauses
        </button>
      )}
      <span class="zooms" role="group" aria-label="Zoom of the timeline">
        <button type="button" class="chip" aria-label="Longer" onClick={() => axis.show(zoomed(axis, at, 2))}>
          −
        </button>
        <button
          type="button"
          class="chip"
          aria-label="Shorter"
          onClick={() => axis.show(zoomed(axis, at, 0.5))}
        >
          +
        </button>
        <button type="button" class="chip" disabled={isWhole} onClick={() => axis.show(undefined)}>
          All
        </button>
      </span>
      {children}
    </div>
  );
}

/** Marks drawn of a row: more would be on one another. */
const MARKS = 200;

/** When iterations of a loop failed. */
function FailureMarks({ times, scale }: { times: readonly number[]; scale: Scale }): JSX.Element {
  const places = new Set(times.map((time) => Math.round(scale.place(time) * (MARKS / 100))));
  return (
    <>
      {[...places].map((place) => {
        const left = (place * 100) / MARKS;
        return inSight(left) && <i key={place} class="failure-mark" style={{ left: percent(left) }} />;
      })}
    </>
  );
}

function Bar({ part, scale, until }: { part: SpanPart; scale: Scale; until: number }): JSX.Element | null {
  const [left, right] = [scale.place(part.from), scale.place(part.to ?? until)];
  if (right < 0 || left > 100) return null;
  const label = `${PARTS[part.kind]}: ${duration((part.to ?? until) - part.from)}`;
  return (
    <i
      class={`part ${part.kind}${part.failed ? ' failed' : ''}${part.to === undefined ? ' open' : ''}`}
      title={label}
      style={{ left: percent(left), width: `max(2px, ${percent(Math.min(100, right) - Math.max(0, left))})` }}
    />
  );
}

/** Whether one of its running tasks waits in a queue without workers. */
function isUnserved(span: TapeSpan, unserved: ReadonlySet<string>): boolean {
  if (unserved.size === 0 || span.to !== undefined) return false;
  return unserved.has(span.id) || span.children.some((child) => isUnserved(child, unserved));
}

/** A step with a single task shows the task's parts: its own would hide where the time went. */
function barsOf(span: TapeSpan): readonly SpanPart[] {
  const [only, second] = span.children;
  if (span.kind === 'step' && only && !second && only.kind === 'task')
    return [...span.parts.filter((part) => part.kind === 'waiting'), ...only.parts];
  if (span.kind === 'iteration' && only && !second) return only.parts;
  // A loop of calls or waits does no work itself.
  if (span.kind === 'step' && only?.kind === 'iteration' && only.children[0] && isOutside(only.children[0]))
    return span.parts.map((part) => (part.kind === 'work' ? { ...part, kind: 'outside' } : part));
  return span.parts;
}

/** A task with a single attempt has no rows below it. */
function childrenOf(span: TapeSpan): readonly TapeSpan[] {
  return span.kind === 'task' && span.children.length < 2 ? NONE : span.children;
}

const NONE: readonly TapeSpan[] = [];

/** What failed, and what it is part of: unfolded, unless one folded it. */
function failedRows(spans: readonly TapeSpan[], folded: ReadonlySet<string>): TapeSpan[] {
  return spans.flatMap((span) => {
    const below = failedRows(childrenOf(span), folded);
    if (span.look !== 'failed' && !span.failures && below.length === 0) return [];
    return [span, ...(folded.has(span.id) ? [] : below)];
  });
}

function flat(spans: readonly TapeSpan[], open: ReadonlySet<string>): TapeSpan[] {
  const rows: TapeSpan[] = [];
  const visit = (list: readonly TapeSpan[]): void => {
    for (const span of list) {
      rows.push(span);
      if (open.has(span.id)) visit(childrenOf(span));
    }
  };
  visit(spans);
  return rows;
}
