/** The timeline: one row per step run, iteration, task or attempt; only visible rows are drawn. */
import { type JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Sign } from '../parts/status';
import { duration } from '../parts/time';
import { VirtualRows } from '../parts/virtual';
import { spanStateAt, type SpanPart, type TapeSpan } from '../tape/spans';
import { type Tape } from '../tape/tape';

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
}

const PARTS = {
  waiting: 'waits for its turn or for a retry',
  queue: 'in the queue, until a worker takes it',
  work: 'runs',
  outside: 'waits for something outside',
} as const;

export function Timeline({ tape, at, until, selected, unserved, onSelect }: Props): JSX.Element {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const { spans } = tape;
  const rows = useMemo(() => flat(spans.roots, open), [spans, spans.version, open]);
  const from = (tape.isWhole ? spans.roots[0]?.from : undefined) ?? tape.timeAt(tape.first + 1);
  const length = Math.max(1, until - from);
  const place = (time: number): number => Math.max(0, Math.min(100, ((time - from) / length) * 100));
  const index = rows.findIndex((row) => row.id === selected);
  const toggle = (id: string): void => {
    const next = new Set(open);
    if (!next.delete(id)) next.add(id);
    setOpen(next);
  };
  const key = (event: KeyboardEvent): void => {
    const here = rows[index];
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move !== undefined) {
      const next = rows[Math.max(0, Math.min(rows.length - 1, index + move))];
      if (next) onSelect(next.id, next.kind);
    } else if (here && event.key === 'ArrowRight' && !open.has(here.id)) toggle(here.id);
    else if (here && event.key === 'ArrowLeft' && open.has(here.id)) toggle(here.id);
    else return;
    event.preventDefault();
  };
  return (
    <section class="timeline" aria-label="Timeline">
      <Head length={length} />
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
          const children = childrenOf(span);
          const waits = at >= until && isUnserved(span, unserved);
          const look = waits ? 'queued' : spanStateAt(span, at);
          return (
            <div
              key={span.id}
              class={`span-row${span.id === selected ? ' selected' : ''}${span.from > at ? ' later' : ''}`}
              role="treeitem"
              aria-level={span.depth + 1}
              aria-selected={span.id === selected}
              aria-expanded={children.length > 0 ? open.has(span.id) : undefined}
              data-span={span.id}
              data-unserved={waits || undefined}
              onClick={() => onSelect(span.id, span.kind)}
            >
              <span class="span-name" style={{ paddingLeft: `${String(6 + span.depth * 14)}px` }}>
                {children.length > 0 ? (
                  <button
                    type="button"
                    class="unfold"
                    tabIndex={-1}
                    aria-hidden="true"
                    onClick={(event) => (event.stopPropagation(), toggle(span.id))}
                  >
                    {open.has(span.id) ? '▾' : '▸'}
                  </button>
                ) : (
                  <span class="unfold" />
                )}
                <Sign look={look} />
                <span class="span-label">{span.label}</span> <span class="unseen">{look}</span>
                {children.length > 1 && <small>{children.length}</small>}
              </span>
              <span class="bars">
                {barsOf(span).map((part, partIndex) => (
                  <Bar key={partIndex} part={part} place={place} until={until} />
                ))}
                {at < until && <i class="veil" style={{ left: `${String(place(at))}%` }} />}
                <i class="cursor" style={{ left: `${String(place(at))}%` }} />
              </span>
              <span class="span-took">{duration((span.to ?? until) - span.from)}</span>
            </div>
          );
        }}
      />
    </section>
  );
}

function Head({ length }: { length: number }): JSX.Element {
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
      <span class="length">{duration(length)}</span>
    </div>
  );
}

function Bar({
  part,
  place,
  until,
}: {
  part: SpanPart;
  place: (time: number) => number;
  until: number;
}): JSX.Element {
  const [left, right] = [place(part.from), place(part.to ?? until)];
  const label = `${PARTS[part.kind]}: ${duration((part.to ?? until) - part.from)}`;
  return (
    <i
      class={`part ${part.kind}${part.failed ? ' failed' : ''}${part.to === undefined ? ' open' : ''}`}
      title={label}
      style={{ left: `${String(left)}%`, width: `max(2px, ${String(right - left)}%)` }}
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
  return span.parts;
}

/** A task with a single attempt has no rows below it. */
function childrenOf(span: TapeSpan): readonly TapeSpan[] {
  return span.kind === 'task' && span.children.length < 2 ? NONE : span.children;
}

const NONE: readonly TapeSpan[] = [];

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
