/** Makes a schedule or changes one: Temporal says as one types when it would start something. */
import { type JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { secondsOf } from '../../src/language/plan/seconds';
import { labelPairs } from '../../src/language/plan/labels';
import {
  type CatalogVersion,
  type InputForm,
  type ScheduleDetails,
  type ScheduleKept,
  type SchedulePreviewed,
} from '../../src/server/facade/documents';
import { LabelsField, labelsOf } from '../parts/labels-field';
import { TextField } from '../parts/text-field';
import { useWorkload } from '../parts/workload';
import { askApi } from '../server/api';
import { useDocument, useLoaded } from '../server/use';
import { Dialog } from '../shell/dialog';
import { say } from '../shell/toast';

interface Props {
  /** The schedule that is changed; undefined: a new one. */
  readonly of?: ScheduleDetails;
  readonly onClose: () => void;
}

const OVERLAPS: Readonly<Record<string, string>> = {
  skip: 'start nothing',
  'buffer-one': 'start one when it has ended',
  'buffer-all': 'start all when it has ended, one after the other',
  'cancel-other': 'cancel it, then start',
  'terminate-other': 'terminate it, then start',
  'allow-all': 'start all the same',
};
const TYPING_MS = 400;
const ZONES = Intl.supportedValuesOf('timeZone');

/** What is written, a little later. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_MS);
    return () => clearTimeout(timer);
  }, [JSON.stringify(value)]);
  return settled;
}

type When = 'same' | 'cron' | 'every';

/** @returns the times as the API takes them; undefined while they cannot be read */
function timesOf(when: When, text: string): object | undefined {
  const lines = text.split('\n').flatMap((line) => line.trim() || []);
  if (when === 'same') return {};
  if (lines.length === 0) return undefined;
  if (when === 'cron') return { cron: lines };
  const intervals = lines.map((line) => {
    const [every, ...offset] = line.split('+').map((one) => secondsOf(one.trim()) ?? -1);
    return { every_s: every!, offset_s: offset[0] ?? 0 };
  });
  return intervals.every(({ every_s, offset_s }) => every_s > 0 && offset_s >= 0) ? { intervals } : undefined;
}

/** What is being written, of a new schedule or of one that there is. */
interface Draft {
  readonly name: string;
  readonly path: string;
  readonly when: When;
  readonly text: string;
  readonly timezone: string;
  readonly overlap: string;
  readonly labels: string;
}

function draftOf(of: ScheduleDetails | undefined): Draft {
  if (of) {
    const { name, path, timezone, overlap } = of;
    return { name, path, timezone, overlap, when: 'same', text: '', labels: labelPairs(of.labels).join(' ') };
  }
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { name: '', path: '', when: 'cron', text: '0 3 * * *', timezone, overlap: 'skip', labels: '' };
}

export function ScheduleEditor({ of, onClose }: Props): JSX.Element {
  const [draft, setDraft] = useState(() => draftOf(of));
  const { name, path, when, text, timezone, overlap, labels } = draft;
  const set =
    <Key extends keyof Draft>(key: Key) =>
    (value: Draft[Key]): void =>
      setDraft((before) => ({ ...before, [key]: value }));
  const settledPath = useSettled(path);
  const form = useDocument<InputForm>(settledPath ? `/api/catalog/${settledPath}/ui_schema` : undefined);
  const inputs = useWorkload(form.error || !path ? [] : form.value?.fields, of?.payload);
  const times = timesOf(when, text);
  const save = async (): Promise<void> => {
    const body = { ...times, timezone, overlap, payload: inputs.value(), labels: labelsOf(labels) };
    const { warnings } = await askApi<ScheduleKept>(
      of ? `/api/schedules/${name}` : '/api/schedules',
      of ? { method: 'PATCH', body } : { body: { ...body, name, path } },
    );
    for (const warning of warnings) say(warning);
  };
  return (
    <Dialog
      title={of ? `Change ${of.name}` : 'New schedule'}
      verb={of ? 'Change' : 'Create'}
      wide
      disabled={inputs.isWrong || !times}
      onDo={save}
      onClose={onClose}
    >
      {!of && <Named {...{ name, path }} onName={set('name')} onPath={set('path')} />}
      <Choice
        label="When"
        value={when}
        onChoose={set('when')}
        choices={{ ...(of && { same: 'as it is' }), cron: WHEN.cron.label, every: WHEN.every.label }}
      />
      {when !== 'same' && (
        <label>
          {WHEN[when].name}
          <textarea
            name="times"
            rows={2}
            spellcheck={false}
            value={text}
            onInput={(event) => set('text')(event.currentTarget.value)}
          />
          <small>{WHEN[when].hint}</small>
        </label>
      )}
      <TextField
        label="Time zone"
        required
        list="schedule-zones"
        value={timezone}
        onInput={set('timezone')}
      />
      <Suggestions id="schedule-zones" of={['UTC', ...ZONES]} />
      {when !== 'same' && <Preview times={times && { ...times, timezone }} zone={timezone} />}
      <Choice
        label="If the last run still runs"
        value={overlap}
        onChoose={set('overlap')}
        choices={OVERLAPS}
      />
      <fieldset>
        <legend>Inputs</legend>
        {inputs.part}
      </fieldset>
      <LabelsField value={labels} onInput={set('labels')} />
    </Dialog>
  );
}

const WHEN = {
  cron: {
    label: 'at times, as cron lines',
    name: 'Cron',
    hint: 'minute hour day month weekday, or @daily; one on each line',
  },
  every: {
    label: 'again and again, after an interval',
    name: 'Interval',
    hint: '5m, or 1h+10m: ten past every hour; one on each line',
  },
} as const;

function Suggestions({ id, of }: { id: string; of: readonly string[] }): JSX.Element {
  return (
    <datalist id={id}>
      {of.map((one) => (
        <option key={one} value={one} />
      ))}
    </datalist>
  );
}

interface NamedProps {
  readonly name: string;
  readonly path: string;
  readonly onName: (name: string) => void;
  readonly onPath: (path: string) => void;
}

function Named({ name, path, onName, onPath }: NamedProps): JSX.Element {
  const { value: catalog } = useLoaded(
    (signal) =>
      askApi<{ entries: readonly CatalogVersion[] }>('/api/catalog/list', { body: { latest: true }, signal }),
    [],
  );
  return (
    <>
      <TextField label="Name" required pattern="[\w][\w.\-]*" value={name} onInput={onName} />
      <TextField
        label="Playbook"
        required
        placeholder="examples/hello_world"
        list="schedule-paths"
        value={path}
        onInput={onPath}
      />
      <Suggestions id="schedule-paths" of={catalog?.entries.map((entry) => entry.path) ?? []} />
    </>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly choices: Readonly<Partial<Record<T, string>>>;
  readonly onChoose: (value: T) => void;
}

function Choice<T extends string>({ label, value, choices, onChoose }: ChoiceProps<T>): JSX.Element {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value as T)}>
        {Object.entries(choices).map(([one, words]) => (
          <option key={one} value={one}>
            {words as string}
          </option>
        ))}
      </select>
    </label>
  );
}

/** @example 'Fri, Nov 27, 2026, 03:00' */
function momentIn(timeZone: string, time: string): string {
  const date = { weekday: 'short', year: 'numeric', month: 'short', day: 'numeric' } as const;
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  try {
    return new Intl.DateTimeFormat(undefined, { ...date, ...clock, timeZone }).format(new Date(time));
  } catch {
    // Half of a name is no zone.
    return time;
  }
}

/** In words, and the next times. */
function Preview({ times, zone }: { times: object | undefined; zone: string }): JSX.Element {
  const settled = useSettled(times);
  const { value, error } = useLoaded(
    async (signal) =>
      settled && (await askApi<SchedulePreviewed>('/api/schedules/preview', { body: settled, signal })),
    [JSON.stringify(settled)],
  );
  if (!times) return <p class="field-problem">The times cannot be read.</p>;
  if (error) return <p class="field-problem">{error.message}</p>;
  return (
    <div class="preview" role="status">
      <p>
        <strong>{value?.times.join('; ')}</strong>
      </p>
      <ul aria-label="Next times">
        {value?.next.map((time) => (
          <li key={time}>
            <time dateTime={time}>{momentIn(zone, time)}</time>
          </li>
        ))}
      </ul>
      {value?.warnings.map((warning) => (
        <p key={warning} class="hint">
          {warning}
        </p>
      ))}
    </div>
  );
}
