/** The graph of a run in its box: it fits, zooms, pans, and folds groups of steps. */
import { type ComponentChildren, type JSX, type RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Moment } from '../../src/history/moment';
import { drawingOf } from '../../src/language/dsl/graph/drawing';
import { type Graph } from '../../src/language/dsl/graph/model';
import { compact } from '../../src/language/plan/compact';
import { foldedGraph, foldedMoment } from './folding';
import { GraphView, MARGIN } from './graph';

interface Props {
  readonly graph: Graph;
  readonly moment: Moment | undefined;
  readonly selected: string | undefined;
  readonly onSelect: (step: string) => void;
  /** Further controls. */
  readonly children?: ComponentChildren;
}

/** Smaller, one cannot read it: it is scrolled rather than fitted, until one asks. */
const READABLE = 0.62;
const [LEAST, MOST, STEP] = [0.04, 3, 1.25];
/** Steps of a graph that is folded at first. */
const MANY = 60;
const ARROW = 60;
/** What controls take of the height. */
const TOOLS = 50;

export function GraphBox({ graph, moment, selected, onSelect, children }: Props): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<ReadonlySet<string> | undefined>(() =>
    graph.nodes.length > MANY ? new Set() : undefined,
  );
  const shown = useMemo(() => {
    const folded = foldedGraph(graph, open);
    // What is selected is to be seen.
    const hiding = [...folded.groups].find(
      ([, steps]) => selected !== undefined && steps.includes(selected),
    )?.[0];
    return hiding === undefined ? folded : foldedGraph(graph, new Set([...open!, hiding]));
  }, [graph, open, selected]);
  const drawing = useMemo(() => drawingOf(shown.graph), [shown]);
  const canFold = useMemo(
    () => open !== undefined || foldedGraph(graph, new Set()).groups.size > 0,
    [graph, open],
  );
  const [width, height] = [drawing.width + 2 * MARGIN, drawing.height + 2 * MARGIN];
  const size = useSize(box);
  const fit = Math.min((size.width - 12) / width, (size.height - TOOLS) / height, 1.25);
  const { zoom, zoomTo } = useZoom(box);
  const scale = zoom ?? Math.max(READABLE, Math.min(1, fit));
  const by = (factor: number): void => zoomTo(scale * factor, scale);
  useReveal(box, drawing.nodes.find(({ node }) => node.step === (selected ?? stepToSee(moment)))?.at, {
    left: drawing.left,
    scale,
    of: `${selected ?? ''} ${String(shown.groups.size)} ${String(moment !== undefined)}`,
  });
  const now = useMemo(() => moment && foldedMoment(moment, shown), [moment, shown]);
  const choose = (step: string): void => {
    if (shown.groups.has(step)) setOpen(new Set([...open!, step]));
    else onSelect(step);
  };
  return (
    <div class="graph-pane">
      <div
        ref={box}
        class="graph-box"
        tabIndex={0}
        role="region"
        aria-label="Graph of the run"
        onKeyDown={(event) => {
          const act = { '+': () => by(STEP), '-': () => by(1 / STEP), '0': () => zoomTo(fit, scale) }[
            event.key
          ];
          if (act) event.preventDefault();
          act?.();
          pan(event, box.current!);
        }}
        onPointerDown={(event) => drag(event, box.current!)}
        onWheel={(event) => {
          if (!event.ctrlKey && !event.metaKey) return;
          event.preventDefault();
          const { left, top } = box.current!.getBoundingClientRect();
          zoomTo(scale * Math.exp(-event.deltaY / 300), scale, [event.clientX - left, event.clientY - top]);
        }}
      >
        <GraphView
          graph={shown.graph}
          {...{ drawing, scale, onSelect: choose, groups: shown.groups, places: shown.places }}
          {...compact({ moment: now, selected })}
        />
      </div>
      <div class="graph-tools" role="group" aria-label="View of the graph">
        {children}
        {canFold && (
          <button
            type="button"
            class="chip"
            aria-pressed={open !== undefined}
            onClick={() => setOpen(open ? undefined : new Set())}
          >
            Fold groups
          </button>
        )}
        <button type="button" class="chip" aria-label="Smaller" onClick={() => by(1 / STEP)}>
          −
        </button>
        <button type="button" class="chip" aria-label="Larger" onClick={() => by(STEP)}>
          +
        </button>
        <button type="button" class="chip" onClick={() => zoomTo(fit, scale)}>
          Fit
        </button>
      </div>
    </div>
  );
}

/** Of a graph that is larger than its box, what has failed or is under way is seen first. */
function stepToSee(moment: Moment | undefined): string | undefined {
  const with_ = (look: string): string | undefined =>
    moment?.steps.find(([, stand]) => stand.look === look)?.[0];
  return with_('failed') ?? with_('running') ?? with_('asleep');
}

function useSize(box: RefObject<HTMLElement | null>): { readonly width: number; readonly height: number } {
  const [size, setSize] = useState({ width: 800, height: 400 });
  useLayoutEffect(() => {
    const look = (): void => setSize({ width: box.current!.clientWidth, height: box.current!.clientHeight });
    look();
    const observer = new ResizeObserver(look);
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  return size;
}

interface Zoom {
  readonly zoom: number | undefined;
  /** @param at the point that stays where it is: the middle of the box by default */
  readonly zoomTo: (to: number, from: number, at?: readonly [x: number, y: number]) => void;
}

function useZoom(box: RefObject<HTMLElement | null>): Zoom {
  const [zoom, setZoom] = useState<number>();
  const stays = useRef<{ x: number; y: number; left: number; top: number } | undefined>(undefined);
  useLayoutEffect(() => {
    const { current } = stays;
    if (!current || zoom === undefined) return;
    box.current!.scrollLeft = current.left * zoom - current.x;
    box.current!.scrollTop = current.top * zoom - current.y;
  }, [zoom]);
  const zoomTo: Zoom['zoomTo'] = (to, from, at) => {
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = box.current!;
    const [x, y] = at ?? [clientWidth / 2, clientHeight / 2];
    stays.current = { x, y, left: (scrollLeft + x) / from, top: (scrollTop + y) / from };
    setZoom(Math.max(LEAST, Math.min(MOST, to)));
  };
  return { zoom, zoomTo };
}

interface Revealing {
  readonly left: number;
  readonly scale: number;
  /** Revealed when it changes. */
  readonly of: string;
}

/** Scrolls a node into sight. */
function useReveal(
  box: RefObject<HTMLElement | null>,
  at: { readonly x: number; readonly y: number } | undefined,
  { left, scale, of }: Revealing,
): void {
  useEffect(() => {
    const element = box.current!;
    if (!at) return;
    const [x, y] = [(at.x - left + MARGIN) * scale, (at.y + MARGIN) * scale];
    const isIn = (value: number, from: number, length: number): boolean =>
      value > from + 30 && value < from + length - 30;
    if (!isIn(x, element.scrollLeft, element.clientWidth)) element.scrollLeft = x - element.clientWidth / 2;
    if (!isIn(y, element.scrollTop, element.clientHeight)) element.scrollTop = y - element.clientHeight / 2;
  }, [of]);
}

/** Arrow keys on a step pan as they do on the box, which browsers do themselves. */
function pan(event: KeyboardEvent, box: HTMLElement): void {
  const by = {
    ArrowLeft: [-ARROW, 0],
    ArrowRight: [ARROW, 0],
    ArrowUp: [0, -ARROW],
    ArrowDown: [0, ARROW],
  }[event.key];
  if (!by) return;
  event.preventDefault();
  box.scrollBy(by[0]!, by[1]!);
}

/** A mouse drags the ground; a finger scrolls. */
function drag(event: PointerEvent, box: HTMLElement): void {
  if (event.pointerType !== 'mouse' || event.button !== 0 || (event.target as Element).closest('.node'))
    return;
  const ended = new AbortController();
  const { signal } = ended;
  addEventListener('pointermove', ({ movementX, movementY }) => box.scrollBy(-movementX, -movementY), {
    signal,
  });
  addEventListener('pointerup', () => ended.abort(), { signal });
}
