/** Log lines of one run or several, of which those in sight are read and drawn; with search, filters and the next failure. */
import { type JSX, type RefObject, type VNode } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type LogPart } from '../../src/telemetry/logs/line';
import { ProblemNote } from '../parts/empty';
import { lineCount, LogLines, type LogIndex, type PlacedLine, useLogIndex } from './log-index';
import { BLOCK, LogRow, type Shown, ShownContext, useReveal } from './log-row';

/** Pixels. */
const ROW = 20;
/** How far beyond its edges a box is filled. */
const BEYOND = '600px 0px';
/** A block that is only passed is not read. */
const RESTING_MS = 60;
const AGAIN_MS = 2_000;

/** Tells whether an element is in sight, or nearly. */
type Watch = (element: Element, hear: (isNear: boolean) => void) => () => void;

export interface LogOfRun {
  readonly id: string;
  readonly over: boolean;
  /** Of one of several. */
  readonly title?: VNode;
}

interface LogBoxProps extends Shown {
  readonly runs: readonly LogOfRun[];
  /** The filter, as a query. */
  readonly query: string;
  readonly follows: boolean;
  readonly onFollow: (follows: boolean) => void;
  readonly onIndex: (run: string, index: LogIndex) => void;
  /** Called when the last run is in sight. */
  readonly onEnd?: (() => void) | undefined;
}

export function LogBox({
  runs,
  query,
  follows,
  onFollow,
  onIndex,
  onEnd,
  ...shown
}: LogBoxProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const watch = useMemo(() => watching(box), []);
  const value = useMemo(() => shown, [shown.wraps, shown.text, shown.selected]);
  const isFollowing = useRef(follows);
  isFollowing.current = follows;
  useLayoutEffect(() => {
    const stay = (): void => {
      if (isFollowing.current) box.current?.scrollTo({ top: box.current.scrollHeight });
    };
    stay();
    const size = new ResizeObserver(stay);
    size.observe(inner.current!);
    size.observe(box.current!);
    return () => size.disconnect();
  }, [follows]);
  const last = useRef(0);
  const scrolled = (): void => {
    const { scrollTop, clientHeight, scrollHeight } = box.current!;
    const isAtEnd = scrollTop + clientHeight > scrollHeight - ROW;
    if (isFollowing.current && scrollTop < last.current && !isAtEnd) onFollow(false);
    last.current = scrollTop;
  };
  const ended = useRef(onEnd);
  ended.current = onEnd;
  useEffect(() => watch(end.current!, (isNear) => isNear && ended.current?.()), [runs.length]);
  return (
    <div
      class={`log-box${shown.wraps ? ' wraps' : ''}`}
      ref={box}
      tabIndex={0}
      role="region"
      aria-label="Log lines, oldest first"
      onScroll={scrolled}
      onKeyDown={(event) => moveSelection(event, box.current!)}
    >
      <div ref={inner}>
        <ShownContext.Provider value={value}>
          {runs.map((run) => (
            <LogOf key={run.id} {...{ run, query, box, watch, onIndex }} />
          ))}
        </ShownContext.Provider>
        <div ref={end} />
      </div>
    </div>
  );
}

/** One observer for all elements of a box. */
function watching(box: RefObject<HTMLElement | null>): Watch {
  const listeners = new Map<Element, (isNear: boolean) => void>();
  let observer: IntersectionObserver | undefined;
  return (element, hear) => {
    observer ??= new IntersectionObserver(
      (entries) => entries.forEach((entry) => listeners.get(entry.target)?.(entry.isIntersecting)),
      { root: box.current, rootMargin: BEYOND },
    );
    listeners.set(element, hear);
    observer.observe(element);
    return () => {
      observer?.unobserve(element);
      listeners.delete(element);
    };
  };
}

/** Arrow keys move the selection, Enter begins it. */
function moveSelection(event: KeyboardEvent, box: HTMLElement): void {
  const rows = [...box.querySelectorAll<HTMLElement>('.log-row')];
  const at = rows.findIndex((row) => row.classList.contains('selected'));
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const edge = box.getBoundingClientRect().top;
  const next =
    event.key === 'Enter'
      ? rows.find((row) => row.getBoundingClientRect().top >= edge)
      : by !== undefined && at >= 0
        ? rows[at + by]
        : undefined;
  if (!next) return;
  event.preventDefault();
  next.scrollIntoView({ block: 'nearest' });
  next.click();
}

interface LogOfProps {
  readonly run: LogOfRun;
  readonly query: string;
  readonly box: RefObject<HTMLElement | null>;
  readonly watch: Watch;
  readonly onIndex: LogBoxProps['onIndex'];
}

function LogOf({ run: { id, over, title }, query, box, watch, onIndex }: LogOfProps): JSX.Element {
  const index = useLogIndex({ run: id, over, query, isAside: title !== undefined });
  const lines = useMemo(() => new LogLines(id, query), [id, query]);
  const blocks = useRef(new Map<string, VNode>());
  useEffect(() => blocks.current.clear(), [lines]);
  useEffect(() => onIndex(id, index), [index]);
  useReveal({ box, lines, index });
  const isHidden = title !== undefined && query !== '' && index.parts.length === 0;
  return (
    <section hidden={isHidden} data-log-of={id}>
      {title && (
        <h3 class="log-title">
          {title} <small>{lineCount(index.parts).toLocaleString('en')} lines</small>
        </h3>
      )}
      {index.error && <ProblemNote error={index.error} />}
      {index.parts.map((part) => blocksOf(part, { lines, watch }, blocks.current))}
    </section>
  );
}

/** A node that is the same as before costs nothing: of half a million lines there are thousands. */
function blocksOf(
  part: LogPart,
  of: Pick<BlockProps, 'lines' | 'watch'>,
  nodesById: Map<string, VNode>,
): VNode[] {
  const nodes: VNode[] = [];
  for (let first = 0; first < part.lines; first += BLOCK) {
    const count = Math.min(BLOCK, part.lines - first);
    const key = `${of.lines.query} ${part.from} ${String(first)}`;
    const id = `${key} ${String(part.lines)}`;
    const node = nodesById.get(id) ?? <Block key={key} {...{ part, first, count, ...of }} />;
    nodesById.set(id, node);
    nodes.push(node);
  }
  return nodes;
}

interface BlockProps {
  readonly part: LogPart;
  /** Of the part's lines. */
  readonly first: number;
  readonly count: number;
  readonly lines: LogLines;
  readonly watch: Watch;
}

function Block({ part, first, count, lines, watch }: BlockProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(false);
  const [shown, setShown] = useState<readonly PlacedLine[]>();
  const [height, setHeight] = useState<number>();
  useEffect(() => watch(box.current!, setNear), []);
  useEffect(() => {
    if (!isNear) {
      // What was wrapped takes as much space as it did.
      if (shown) setHeight(box.current!.offsetHeight);
      setShown(undefined);
      return undefined;
    }
    let timer: ReturnType<typeof setTimeout>;
    let isThere = true;
    const read = (): void =>
      void lines.of(part).then(
        (all) => isThere && setShown(all.slice(first, first + count)),
        () => (timer = setTimeout(read, AGAIN_MS)),
      );
    timer = setTimeout(read, shown ? 0 : RESTING_MS);
    return () => {
      isThere = false;
      clearTimeout(timer);
    };
  }, [isNear, part.lines]);
  return (
    <div
      ref={box}
      class="log-block"
      data-block={`${part.from}/${String(first)}`}
      style={shown ? undefined : { height: `${String(height ?? count * ROW)}px` }}
    >
      {shown?.map((line, index) => (
        <LogRow key={line.id} run={lines.run} line={line} before={shown[index - 1]} />
      ))}
    </div>
  );
}
