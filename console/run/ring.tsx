/** How far a loop, or a group of steps, has come. */
import { type JSX } from 'preact';
import { type StepStand } from '../../src/history/moment';

const RADIUS = 13;
const AROUND = 2 * Math.PI * RADIUS;
const LEAST_FAILED = 7;

export function Ring({
  x,
  y,
  loop,
}: {
  x: number;
  y: number;
  loop: NonNullable<StepStand['loop']>;
}): JSX.Element {
  const total = Math.max(1, loop.total);
  // One failure of a thousand iterations is seen, too.
  const failed = loop.failed === 0 ? 0 : Math.max(LEAST_FAILED, (loop.failed / total) * AROUND);
  const done = Math.min(AROUND - failed, (loop.done / total) * AROUND);
  return (
    <g class="ring" aria-hidden="true" transform={`translate(${String(x)} ${String(y)})`}>
      <title>{`${String(loop.done)} done, ${String(loop.failed)} failed, ${String(loop.running)} under way, of ${String(loop.total)}`}</title>
      <circle r={RADIUS + 3} class="plate" />
      <circle r={RADIUS} class="track" />
      <circle
        r={RADIUS}
        class="done"
        stroke-dasharray={`${String(done)} ${String(AROUND)}`}
        transform="rotate(-90)"
      />
      <circle
        r={RADIUS}
        class="failed"
        stroke-dasharray={`${String(failed)} ${String(AROUND)}`}
        transform={`rotate(${String(-90 + (done / AROUND) * 360)})`}
      />
      <text>{shortCount(loop.done + loop.failed)}</text>
      {loop.failed > 0 && (
        <text class="failed" x={RADIUS + 5}>
          ✕ {shortCount(loop.failed)}
        </text>
      )}
    </g>
  );
}

function shortCount(count: number): string {
  return count < 1000 ? String(count) : `${String(Math.round(count / 1000))}k`;
}
