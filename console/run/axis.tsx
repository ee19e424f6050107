/** The axis of the timeline: what of the run is in sight, and where. */
import { type JSX, type TargetedPointerEvent } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { duration } from '../parts/time';
import { type TapeSpan } from '../tape/spans';
import { type Tape } from '../tape/tape';
import { busyStretches, GAP, type Scale, scaleOf, type Stretch } from './scale';

export interface AxisState {
  readonly scale: Scale;
  /** What is in sight, and the whole. */
  readonly window: Stretch;
  readonly whole: Stretch;
  /** Undefined: the whole. */
  readonly show: (window: Stretch | undefined) => void;
  /** Undefined: there is no long pause. */
  readonly folds: boolean | undefined;
  readonly onFold: () => void;
}

export function useAxis({ spans }: Tape, begin: number, until: number): AxisState {
  const [zoom, show] = useState<Stretch>();
  const [folds, setFolds] = useState(true);
  const whole: Stretch = [begin, Math.max(begin + 1, until)];
  const window = zoom ?? whole;
  const busy = useMemo(() => busyStretches(spans.roots, until), [spans, spans.version, until]);
  const folded = useMemo(() => scaleOf(window, begin, busy), [window[0], window[1], busy]);
  const scale = useMemo(
    () => (folds ? folded : scaleOf(window, begin)),
    [folded, folds, window[0], window[1]],
  );
  const canFold = folded.gaps.length > 0;
  return { scale, window, whole, show, folds: canFold ? folds : undefined, onFold: () => setFolds(!folds) };
}

/** What a key shows: `+` and `-` zoom around the displayed moment, `0` shows all, Shift and an arrow move. */
export function zoomOf({ key, shiftKey }: KeyboardEvent, axis: AxisState, at: number): Stretch | undefined {
  const [from, to] = axis.window;
  const shift = { ArrowLeft: -1, ArrowRight: 1 }[key];
  if (shift !== undefined && shiftKey) return moved(axis, (shift * (to - from)) / 4);
  if (key === '0') return axis.whole;
  return key === '+' ? zoomed(axis, at, 0.5) : key === '-' ? zoomed(axis, at, 2) : undefined;
}

function moved({ window: [from, to], whole: [first, last] }: AxisState, by: number): Stretch {
  const shift = Math.max(first - from, Math.min(last - to, by));
  return [from + shift, to + shift];
}

/** @param at stays where it is, if it is in sight; otherwise the middle does */
export function zoomed(
  { window: [from, to], whole: [first, last] }: AxisState,
  at: number,
  by: number,
): Stretch {
  const middle = at > from && at < to ? at : (from + to) / 2;
  return [Math.max(first, middle - (middle - from) * by), Math.min(last, middle + (to - middle) * by)];
}

export function around({ from, to = NaN }: TapeSpan, until: number): Stretch {
  const end = Number.isNaN(to) ? until : to;
  const room = Math.max(1, (end - from) * 0.05);
  return [from - room, end + room];
}

/** Ticks and folded pauses; what is dragged over is zoomed to. */
export function Axis({ axis: { scale, show, window } }: { axis: AxisState }): JSX.Element {
  const [drawn, setDrawn] = useState<Stretch>();
  const placeOf = ({ currentTarget, clientX }: TargetedPointerEvent<HTMLElement>): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.max(0, Math.min(100, ((clientX - left) / width) * 100));
  };
  const [from, to] = [Math.min(...(drawn ?? [0])), Math.max(...(drawn ?? [0]))];
  return (
    <div class="span-row axis" aria-hidden="true">
      <span />
      <span
        class="bars"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrawn([placeOf(event), placeOf(event)]);
        }}
        onPointerMove={(event) => drawn && setDrawn([drawn[0], placeOf(event)])}
        onPointerUp={() => {
          if (to - from > 1) show([scale.timeAt(from), scale.timeAt(to)]);
          setDrawn(undefined);
        }}
      >
        {scale.ticks.map(({ left, label }) => (
          <span key={left} class="tick" style={{ left: percent(left) }}>
            {label}
          </span>
        ))}
        {scale.gaps.map((gap) => (
          <span
            key={gap.from}
            class="gap"
            style={{ left: percent(gap.left), width: percent(GAP) }}
            title={`${duration(gap.to - gap.from)} in which no task works`}
          />
        ))}
        {drawn && <i class="drawn" style={{ left: percent(from), width: percent(to - from) }} />}
      </span>
      <span class="span-took">{duration(window[1] - window[0])}</span>
    </div>
  );
}

export const percent = (value: number): string => `${String(Math.max(0, Math.min(100, value)))}%`;
export const inSight = (left: number): boolean => left >= 0 && left <= 100;
