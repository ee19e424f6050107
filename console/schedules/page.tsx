/** Playbooks that start by the clock. */
import { type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { CommandHint, Empty, Loading, ProblemNote } from '../parts/empty';
import { StatusBadge } from '../parts/status';
import { TextField } from '../parts/text-field';
import { JsonValue } from '../parts/json';
import { ago, duration, fullMoment } from '../parts/time';
import { Timestamp } from '../parts/when';
import {
  type Backfilled,
  type ScheduleDetails,
  type ScheduleDocument,
} from '../../src/server/facade/documents';
import { labelPairs } from '../../src/language/plan/labels';
import { timesText } from '../../src/temporal/schedules/calendar-text';
import { askApi } from '../server/api';
import { useDocument, useLoaded } from '../server/use';
import { playbookAddress, runAddress } from '../shell/address';
import { Dialog } from '../shell/dialog';
import { useMay } from '../shell/session';
import { say, askAndTell } from '../shell/toast';
import { ScheduleEditor } from './editor';

export default function SchedulesPage(): JSX.Element {
  const { value, error, again } = useDocument<{ schedules: readonly ScheduleDocument[] }>(
    '/api/schedules',
    5_000,
  );
  const [making, setMaking] = useState(false);
  const mayRun = useMay('run');
  return (
    <>
      <header class="page-head">
        <h1>Schedules</h1>
        {mayRun && (
          <button type="button" class="primary" onClick={() => setMaking(true)}>
            New schedule
          </button>
        )}
      </header>
      {error && !value && <ProblemNote error={error} />}
      {!value && !error && <Loading />}
      {value?.schedules.length === 0 && (
        <Empty title="Nothing starts by the clock yet">
          <p>Make a schedule here, or from a terminal:</p>
          <CommandHint text='noetl-temporal schedule create nightly examples/hello_world --cron "0 3 * * *" --server http://127.0.0.1:8082' />
        </Empty>
      )}
      <ul class="cards">
        {value?.schedules.map((schedule) => (
          <Card key={schedule.name} schedule={schedule} onChange={again} />
        ))}
      </ul>
      {making && <ScheduleEditor onClose={() => (setMaking(false), again())} />}
    </>
  );
}

/** Milliseconds. */
const STARTING_MS = 1_500;

function Card({ schedule, onChange }: { schedule: ScheduleDocument; onChange: () => void }): JSX.Element {
  const { name, path, paused, next, note } = schedule;
  const mayRun = useMay('run');
  const { value: details, again } = useDocument<ScheduleDetails>(`/api/schedules/${name}`, 10_000);
  const [asking, setAsking] = useState<'backfill' | 'change' | 'delete'>();
  const refresh = (): void => {
    onChange();
    again();
    // A start requested from Temporal becomes visible a little later.
    setTimeout(again, STARTING_MS);
  };
  const does = (verb: string, message: string): void =>
    askAndTell(`/api/schedules/${name}/${verb}`, message, refresh);
  return (
    <li class="card" data-schedule={name} data-paused={paused}>
      <div class="card-head">
        <h2>{name}</h2>
        <a href={playbookAddress(path)}>{path}</a>
        {paused && <StatusBadge status="PAUSED" />}
        {mayRun && (
          <div class="actions push">
            <button type="button" onClick={() => does('trigger', 'Started now.')}>
              Start now
            </button>
            <button
              type="button"
              onClick={() => does(paused ? 'unpause' : 'pause', paused ? 'It starts again.' : 'Paused.')}
            >
              {paused ? 'Unpause' : 'Pause'}
            </button>
            <button type="button" disabled={!details} onClick={() => setAsking('change')}>
              Change
            </button>
            <button type="button" onClick={() => setAsking('backfill')}>
              Backfill
            </button>
            <button type="button" class="danger-quiet" onClick={() => setAsking('delete')}>
              Delete
            </button>
          </div>
        )}
      </div>
      {note && <p class="hint">{note}</p>}
      {details?.error && (
        <p class="failure" data-start-error={details.error.code}>
          The last start failed: <code class="code">{details.error.code}</code> {details.error.message}
        </p>
      )}
      <div class="columns">
        <div>
          <h3>Next</h3>
          {next.length === 0 && <p class="hint">{paused ? 'Paused: none.' : 'No more.'}</p>}
          <ul>
            {next.slice(0, 5).map((time) => (
              <li key={time}>
                <Timestamp at={time} />
              </li>
            ))}
          </ul>
        </div>
        <Last runs={details?.runs} />
        {details && <Rule of={details} />}
      </div>
      {asking === 'backfill' && (
        <Backfill name={name} onDone={refresh} onClose={() => setAsking(undefined)} />
      )}
      {asking === 'change' && details && (
        <ScheduleEditor of={details} onClose={() => (setAsking(undefined), refresh())} />
      )}
      {asking === 'delete' && (
        <Dialog
          title={`Delete ${name}?`}
          verb="Delete the schedule"
          dangerous
          onDo={() => askApi(`/api/schedules/${name}`, { method: 'DELETE' }).then(onChange)}
          onClose={() => setAsking(undefined)}
        >
          <p>It starts nothing more; running executions continue.</p>
        </Dialog>
      )}
    </li>
  );
}

/** The schedule's rule and policies. */
function Rule({
  of: { calendars, intervals, timezone, overlap, catchup_s, payload, labels },
}: {
  of: ScheduleDetails;
}): JSX.Element {
  return (
    <div class="rule">
      <h3>Rule</h3>
      <ul>
        {timesText({ calendars, intervals }).map((text) => (
          <li key={text}>
            {text} {calendars.length > 0 && <small>{timezone}</small>}
          </li>
        ))}
        <li>overlap: {overlap}</li>
        <li>missed while the server is away: caught up for {duration(catchup_s * 1000)}</li>
      </ul>
      {labelPairs(labels).map((label) => (
        <span key={label} class="label">
          {label}
        </span>
      ))}
      {Object.keys(payload).length > 0 && <JsonValue value={payload} label="the payload" />}
    </div>
  );
}

function Last({ runs }: { runs: ScheduleDetails['runs'] | undefined }): JSX.Element {
  return (
    <div>
      <h3>Last</h3>
      {runs?.length === 0 && <p class="hint">None yet.</p>}
      <ul>
        {runs?.slice(0, 6).map((run) => (
          <li key={`${run.scheduled_at}${run.execution_id ?? ''}`}>
            <StatusBadge status={run.status.toUpperCase()} />{' '}
            {run.execution_id ? (
              <a href={runAddress(run.execution_id)}>{ago(run.scheduled_at)}</a>
            ) : (
              ago(run.scheduled_at)
            )}
            {run.error && <code class="code">{run.error.code}</code>}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** As `<input type=datetime-local>` has it, in the zone of this browser. */
function localTime(ms: number): string {
  const date = new Date(ms);
  return new Date(ms - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

interface BackfillProps {
  readonly name: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Counts before it starts anything: a day of a five-minute schedule is 288 runs. */
function Backfill({ name, onDone, onClose }: BackfillProps): JSX.Element {
  const [from, setFrom] = useState(() => localTime(Date.now() - 86_400_000));
  const [to, setTo] = useState(() => localTime(Date.now()));
  const span = (): object => ({ from: new Date(from).toISOString(), to: new Date(to).toISOString() });
  const { value, error } = useLoaded<Backfilled>(
    (signal) => askApi(`/api/schedules/${name}/backfill`, { body: { ...span(), dry_run: true }, signal }),
    [from, to],
  );
  const count = error ? 0 : (value?.count ?? 0);
  return (
    <Dialog
      title={`Backfill ${name}`}
      verb={count === 1 ? 'Start 1 run' : `Start ${String(count)} runs`}
      disabled={count === 0}
      onDo={async () => {
        await askApi(`/api/schedules/${name}/backfill`, { body: span() });
        say('What would have been started in that time is being started.');
        onDone();
      }}
      onClose={onClose}
    >
      <p>Starts every run that the schedule would have started between two times.</p>
      <TextField label="From" type="datetime-local" required value={from} onInput={setFrom} />
      <TextField label="To" type="datetime-local" required value={to} onInput={setTo} />
      {value?.first && value.last && (
        <p class="hint" data-backfill-count={count}>
          {count === 1 ? '1 run' : `${String(count)} runs`}, due {fullMoment(value.first)}
          {count > 1 && ` to ${fullMoment(value.last)}`}
        </p>
      )}
      {value?.count === 0 && <p class="hint">Nothing was due then.</p>}
    </Dialog>
  );
}
