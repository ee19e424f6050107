/** What is wrong now, how runs do, and what started and starts when. */
import { type JSX } from 'preact';
import { type OverviewDocument } from '../../src/server/facade/documents';
import { CommandHint, Loading, ProblemNote } from '../parts/empty';
import { lookOf, Sign } from '../parts/status';
import { fullMoment } from '../parts/time';
import { Timestamp } from '../parts/when';
import { useDocument } from '../server/use';
import { go, withQuery } from '../shell/address';
import { Charts, Numbers } from './charts';
import { StartsAxis } from './starts';

const EVERY_MS = 10_000;
const HOURS = [
  [1, 'an hour'],
  [6, '6 hours'],
  [24, 'a day'],
  [168, 'a week'],
] as const;

export default function OverviewPage({ query }: { query: URLSearchParams }): JSX.Element {
  const hours = Number(query.get('hours')) || 24;
  const { value, error } = useDocument<OverviewDocument>(`/api/overview?hours=${String(hours)}`, EVERY_MS);
  return (
    <>
      <header class="page-head">
        <h1>Overview</h1>
        {value && (
          <span class="count">
            as of <Timestamp at={value.at} as={fullMoment} />
          </span>
        )}
        <label class="check push">
          Back and ahead
          <select
            value={hours}
            onChange={(event) => go(withQuery({ hours: event.currentTarget.value }), true)}
          >
            {HOURS.map(([count, label]) => (
              <option key={count} value={count}>
                {label}
              </option>
            ))}
          </select>
        </label>
      </header>
      {error && !value && <ProblemNote error={error} />}
      {!value && !error && <Loading what="Looking what is wrong" />}
      {value && <Shown overview={value} hours={hours} />}
    </>
  );
}

function Shown({ overview, hours }: { overview: OverviewDocument; hours: number }): JSX.Element {
  const { runs, buckets, starts, at } = overview;
  return (
    <>
      <Problems overview={overview} />
      <section class="card" aria-labelledby="runs-title">
        <h2 id="runs-title">Runs</h2>
        <Numbers runs={runs} list={`since=${String(hours)}h&`} />
        <Charts buckets={buckets} />
        {!runs.complete && (
          <p class="hint">There were more: these are the newest, since {fullMoment(runs.since)}.</p>
        )}
      </section>
      <section class="card" aria-labelledby="starts-title">
        <h2 id="starts-title">Starts</h2>
        <StartsAxis starts={starts} now={Date.parse(at)} spanMs={hours * 3_600_000} />
      </section>
    </>
  );
}

function Problems({ overview: { ok, problems, unknown } }: { overview: OverviewDocument }): JSX.Element {
  return (
    <section class="card problems" aria-labelledby="problems-title" data-ok={ok}>
      <h2 id="problems-title">
        {ok ? (
          <>
            <Sign look="done" /> Nothing is wrong
          </>
        ) : (
          'Wrong now'
        )}
      </h2>
      <ul>
        {problems.map(({ kind, wrong, count, title, detail, since, link, command }) => (
          <li key={`${kind} ${title}`} data-problem={kind}>
            <Sign look={wrong ? 'failed' : 'asleep'} />
            <div>
              {count > 1 && <strong>{count} × </strong>}
              <a href={link}>{title}</a>{' '}
              {since && (
                <small>
                  <Timestamp at={since} />
                </small>
              )}
              {detail && <p class="detail">{detail}</p>}
              {command && <CommandHint text={command} />}
            </div>
          </li>
        ))}
      </ul>
      {unknown.map(({ kind, why }) => (
        <p key={kind} class="hint" data-unknown={kind}>
          <Sign look={lookOf('')} /> {kind}: not known, {why}
        </p>
      ))}
    </section>
  );
}
