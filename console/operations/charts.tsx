/** Numbers of runs, and small charts of when they ended and how long they took. */
import { type JSX } from 'preact';
import { type OverviewDocument } from '../../src/server/facade/documents';
import { type TableRow, Rows } from '../parts/rows';
import { duration } from '../parts/time';

type Statistics = OverviewDocument['runs'];
type Bucket = OverviewDocument['buckets'][number];

const COUNTS = ['running', 'completed', 'failed', 'cancelled', 'skipped'] as const;
const took = (seconds: number | null): string => (seconds === null ? '–' : duration(seconds * 1000));

/** @param list the query of the list that a number opens, before its status */
export function Numbers({ runs, list }: { runs: Statistics; list: string }): JSX.Element {
  const rate = runs.success_rate === null ? '–' : `${String(Math.floor(runs.success_rate * 1000) / 10)} %`;
  const others = {
    ...{
      success: rate,
      'half within': took(runs.p50),
      '95 % within': took(runs.p95),
      longest: took(runs.longest),
    },
  };
  // Those that run may have begun before.
  const since = (name: string): string => (name === 'running' ? list.replace(/since=\w+&?/, '') : list);
  return (
    <dl class="numbers">
      {COUNTS.map((name) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class={runs[name] > 0 && name === 'failed' ? 'failed word' : ''}>
            <a href={`/runs?${since(name)}status=${name}`}>{runs[name]}</a>
          </dd>
        </div>
      ))}
      {Object.entries(others).map(([name, shown]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{shown}</dd>
        </div>
      ))}
    </dl>
  );
}

/** From below, each by how it looks. */
type Stack = readonly (readonly [look: string, of: (bucket: Bucket) => number])[];

const ENDED: Stack = [
  ['done', ({ completed }) => completed],
  ['skipped', ({ skipped }) => skipped],
  ['cancelled', ({ cancelled }) => cancelled],
  ['failed', ({ failed }) => failed],
];
const TOOK: Stack = [
  ['half', ({ p50 }) => p50 ?? 0],
  ['most', ({ p50, p95 }) => (p95 ?? 0) - (p50 ?? 0)],
];

export function Charts({ buckets }: { buckets: readonly Bucket[] }): JSX.Element | null {
  const ended = buckets.filter((bucket) => heightOf(ENDED, bucket) > 0);
  if (ended.length === 0) return null;
  return (
    <>
      <div class="charts">
        <Bars title={(most) => `Ended: up to ${String(most)} at a time`} stack={ENDED} buckets={buckets} />
        <Bars
          title={(most) => `Took: half of them, and 95 %, within up to ${took(most)}`}
          stack={TOOK}
          buckets={buckets}
        />
      </div>
      <details>
        <summary>As a table</summary>
        <Rows
          label="When runs ended, and how long they took"
          rows={ended as readonly TableRow[]}
          keyOf={({ at }) => String(at)}
          columns={{
            ...{
              From: 'at',
              Completed: 'completed',
              Failed: 'failed',
              Cancelled: 'cancelled',
              Skipped: 'skipped',
            },
            ...{ 'Half within': 'p50', '95 % within': 'p95' },
          }}
        />
      </details>
    </>
  );
}

function heightOf(stack: Stack, bucket: Bucket): number {
  return stack.reduce((sum, [, of]) => sum + of(bucket), 0);
}

interface BarsProps {
  readonly title: (most: number) => string;
  readonly stack: Stack;
  readonly buckets: readonly Bucket[];
}

/** Drawn in 100 × 100, whatever the size. */
function Bars({ title, stack, buckets }: BarsProps): JSX.Element {
  const most = Math.max(...buckets.map((bucket) => heightOf(stack, bucket)));
  const width = 100 / buckets.length;
  return (
    <figure>
      <figcaption>{title(most)}</figcaption>
      <svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label={title(most)}>
        {buckets.map((bucket, n) => {
          let top = 100;
          return stack.map(([look, of]) => {
            const height = most === 0 ? 0 : (of(bucket) / most) * 100;
            top -= height;
            return <rect key={look} class={look} x={n * width} y={top} width={width * 0.8} height={height} />;
          });
        })}
      </svg>
    </figure>
  );
}
