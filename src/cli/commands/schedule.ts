import { Command, Option } from 'commander';
import { type JsonObject, type RunLabels } from '../../language/plan';
import {
  type Backfilled,
  type ScheduleDetails,
  type ScheduleDocument,
  type ScheduleKept,
} from '../../server/facade/documents';
import { type NewSchedule, type ScheduleChange, type ScheduleTimes } from '../../temporal/schedules';
import { type Overlap, OVERLAPS } from '../../temporal/schedules/overlap';
import { EnvironmentError } from '../../language/errors';
import { UsageError } from '../errors';
import { milliseconds, wholeNumber } from '../input/number';
import { dataOption, jsonOption, labelOption } from '../input/options';
import { print, printAnswer, warn } from '../output/say';
import { scheduleText, schedulesText } from '../output/schedule-text';
import { type RemoteFlags } from '../runtime/port';
import { type Asking } from '../runtime/port/ask';
import { collectAssignment } from './run';

interface Making extends RemoteFlags {
  cron: string[];
  every: string[];
  calendar: string[];
  timezone?: string;
  jitter?: string;
  startAt?: string;
  endAt?: string;
  overlap?: Overlap;
  catchup?: string;
  pauseOnFailure?: boolean;
  paused?: boolean;
  note?: string;
  limit?: string;
  payload?: string;
  label?: RunLabels;
  set: string[];
  playbookVersion?: string;
  timeAs?: string;
  on?: string;
  deadline?: string;
}

interface Backfilling extends RemoteFlags {
  from: string;
  to: string;
  overlap?: Overlap;
  dryRun?: boolean;
  yes?: boolean;
}

/** `schedule …`: scheduled playbooks, as Temporal schedules. */
export function scheduleCommand(): Command {
  const command = new Command('schedule').description(
    'start playbooks on a schedule; Temporal stores the schedules',
  );
  for (const one of [
    create(),
    change(),
    list(),
    describe(),
    pausing('pause'),
    pausing('unpause'),
    trigger(),
    backfill(),
    remove(),
  ])
    command.addCommand(one);
  return command;
}

/** A command about schedules: through a facade, or at Temporal itself. */
function withSchedules(command: Command): Command {
  const server = new Option(
    '--server <url>',
    'the facade to use, with the token NOETL_TOKEN (default: NOETL_FACADE_URL or http://127.0.0.1:8082; ' +
      'Temporal itself with --data, or with TEMPORAL_ADDRESS and no NOETL_FACADE_URL)',
  );
  return command.addOption(jsonOption()).addOption(dataOption()).addOption(server);
}

function create(): Command {
  const command = withSchedules(new Command('create'))
    .description(
      'start a playbook at certain times; it is looked up then, by workers with --playbooks or the catalog',
    )
    .argument('<name>', 'name of the schedule')
    .argument('<path>', 'metadata.path of the playbook')
    .option('--paused', 'create it paused');
  return making(command).action(async (name: string, path: string, flags: Making) => {
    const { payload = {}, ...given } = { ...(await changesOf(flags)), ...(await tellingOf(flags)) };
    if (!given.cron && !given.intervals && !given.calendars)
      throw new UsageError('no time given: use --cron, --every or --calendar');
    const schedule: NewSchedule = { ...given, payload, paused: flags.paused, name, path };
    const { warnings } = await at<ScheduleKept>(flags, '', { method: 'POST', body: schedule });
    tellDoubts(warnings);
    await printAnswer(flags.json, { name, path, warnings }, `schedule ${name} starts ${path}`);
  });
}

function change(): Command {
  const command = withSchedules(new Command('change'))
    .description(
      'change what is given of a schedule; a time replaces all its times, a payload the whole payload',
    )
    .argument('<name>');
  return making(command).action(async (name: string, flags: Making) => {
    const changes: ScheduleChange = { ...(await changesOf(flags)), ...(await tellingOf(flags)) };
    if (Object.values(changes).every((value) => value === undefined))
      throw new UsageError('nothing to change: give what is to be different, e.g. --cron "0 3 * * *"');
    const { warnings } = await at<ScheduleKept>(flags, name, { method: 'PATCH', body: changes });
    tellDoubts(warnings);
    await printAnswer(flags.json, { name, warnings }, `schedule ${name} is changed`);
  });
}

function tellDoubts(warnings: readonly string[]): void {
  for (const warning of warnings) warn(new EnvironmentError('SCHEDULE_DOUBTFUL', warning));
}

/** Options of what a schedule is. */
function making(command: Command): Command {
  return command
    .option('--cron <line>', 'e.g. "0 2 * * 1-5" or @daily; repeatable', collect, [])
    .option('--every <time>', 'e.g. 5m, or 1h+10m: ten past every hour; repeatable', collect, [])
    .option(
      '--calendar <json>',
      'fields of a Temporal calendar, e.g. {"hour": 2, "dayOfWeek": "MONDAY"}',
      collect,
      [],
    )
    .option('--timezone <name>', 'time zone of cron lines and calendars, e.g. Europe/Berlin (default: UTC)')
    .option('--jitter <time>', 'delay each start by a random time up to this')
    .option('--start-at <time>', 'RFC 3339 timestamp; nothing starts before it')
    .option('--end-at <time>', 'RFC 3339 timestamp; nothing starts after it')
    .addOption(overlapOption('what to do if the previous execution is still running (default: skip)'))
    .option('--catchup <time>', 'after an outage, start executions missed within this time (default: 1h)')
    .option('--pause-on-failure', 'pause the schedule when an execution fails')
    .option('--note <text>', 'a note stored with the schedule')
    .option('--limit <n>', 'start at most this many executions')
    .option('-p, --payload <json>', 'the inputs of each execution: JSON, @FILE, or @-')
    .option('-s, --set <a.b=v>', 'one value of the payload; repeatable', collectAssignment, [])
    .addOption(labelOption())
    .option(
      '--playbook-version <version>',
      'always start this version (default: the newest at the scheduled time)',
    )
    .option('--time-as <name>', 'pass the scheduled time to the playbook, as this key of the workload')
    .option('--on <targets>', 'whom to tell, besides those the playbook names: YAML or JSON, or @FILE')
    .option('--deadline <time>', 'an execution open this long after its scheduled time is late, e.g. 2h');
}

function list(): Command {
  return withSchedules(new Command('list'))
    .description('list schedules')
    .action(async (flags: RemoteFlags) => {
      const schedules: ScheduleDocument[] = [];
      for (let page = 1, more = true; more; page++) {
        const { pagination, ...some } = await at<Listed>(flags, `?page=${page}&page_size=100`);
        schedules.push(...some.schedules);
        more = pagination.has_next;
      }
      await print(flags.json ? JSON.stringify({ schedules }, null, 2) : schedulesText(schedules));
    });
}

function describe(): Command {
  return withSchedules(new Command('describe'))
    .description('show a schedule, its next times, and the last executions it started')
    .argument('<name>')
    .action(async (name: string, flags: RemoteFlags) => {
      const details = await at<ScheduleDetails>(flags, name);
      await print(flags.json ? JSON.stringify(details, null, 2) : scheduleText(details));
    });
}

function pausing(verb: 'pause' | 'unpause'): Command {
  return withSchedules(new Command(verb))
    .description(
      verb === 'pause'
        ? 'start nothing until unpaused; running executions continue'
        : 'resume a paused schedule',
    )
    .argument('<name>')
    .option('--note <text>', 'a note stored with the schedule')
    .action(async (name: string, flags: RemoteFlags & { note?: string }) => {
      await at(flags, `${name}/${verb}`, { method: 'POST', body: { note: flags.note } });
      await printAnswer(flags.json, { name, paused: verb === 'pause' }, `schedule ${name} is ${verb}d`);
    });
}

function trigger(): Command {
  return withSchedules(new Command('trigger'))
    .description('start an execution now')
    .argument('<name>')
    .addOption(overlapOption('override the policy of the schedule'))
    .action(async (name: string, flags: RemoteFlags & { overlap?: Overlap }) => {
      await at(flags, `${name}/trigger`, { method: 'POST', body: { overlap: flags.overlap } });
      await printAnswer(flags.json, { name, triggered: true }, `schedule ${name} is triggered`);
    });
}

function backfill(): Command {
  return withSchedules(new Command('backfill'))
    .description('start the executions that were due between two times')
    .argument('<name>')
    .requiredOption('--from <time>', 'RFC 3339, included')
    .requiredOption('--to <time>', 'RFC 3339, included')
    .addOption(overlapOption('how to start them (default: buffer-all, one after the other)'))
    .option('--dry-run', 'only count them')
    .option('-y, --yes', 'do not ask')
    .action(backfilled);
}

async function backfilled(name: string, flags: Backfilling): Promise<void> {
  const [from, to] = [timeOf('--from', flags.from), timeOf('--to', flags.to)];
  const request = (dry_run: boolean): Promise<Backfilled> =>
    at(flags, `${name}/backfill`, { method: 'POST', body: { from, to, overlap: flags.overlap, dry_run } });
  const { count, first, last } = await request(true);
  const executions = `${count} ${count === 1 ? 'execution' : 'executions'}`;
  const what = count === 0 ? 'no execution' : `${executions}, due ${first} to ${last}`;
  const document = { name, from, to, count, first, last };
  if (flags.dryRun || count === 0)
    return await printAnswer(flags.json, document, `the backfill of ${name} starts ${what}`);
  const { confirmed } = await import('../runtime/bulk/confirm.js');
  if (!flags.yes && !(await confirmed(`The backfill of ${name} starts ${what}. Start them?`)))
    return await printAnswer(flags.json, { ...document, count: 0 }, 'nothing was started');
  await request(false);
  await printAnswer(flags.json, document, `schedule ${name} backfills ${what}`);
}

function remove(): Command {
  return withSchedules(new Command('delete'))
    .description('delete a schedule; running executions continue')
    .argument('<name>')
    .action(async (name: string, flags: RemoteFlags) => {
      await at(flags, name, { method: 'DELETE' });
      await printAnswer(flags.json, { name, deleted: true }, `schedule ${name} is deleted`);
    });
}

function overlapOption(does: string): Option {
  return new Option('--overlap <policy>', does).choices(Object.keys(OVERLAPS));
}

interface Listed {
  readonly schedules: readonly ScheduleDocument[];
  readonly pagination: { readonly has_next: boolean };
}

/** @param place a name, and what is done with the schedule; or a query */
async function at<T>(flags: RemoteFlags, place: string, asking?: Asking): Promise<T> {
  const { askAt, facadeOrTemporal } = await import('../runtime/port/index.js');
  const path = `/api/schedules${/^\w/.test(place) ? '/' : ''}${place}`;
  return await askAt<T>(flags, path, asking, facadeOrTemporal(flags));
}

async function changesOf(flags: Making): Promise<ScheduleChange> {
  const { readPayload } = await import('../input/payload.js');
  const when: ScheduleTimes = {
    ...(flags.cron.length > 0 && { cron: flags.cron }),
    ...(flags.every.length > 0 && { intervals: flags.every.map(intervalOf) }),
    ...(flags.calendar.length > 0 && { calendars: flags.calendar.map(calendarOf) }),
    timezone: flags.timezone,
    jitter_s: secondsOf('--jitter', flags.jitter),
    start_at: flags.startAt === undefined ? undefined : timeOf('--start-at', flags.startAt).toISOString(),
    end_at: flags.endAt === undefined ? undefined : timeOf('--end-at', flags.endAt).toISOString(),
  };
  const isPayload = flags.payload !== undefined || flags.set.length > 0;
  return {
    ...when,
    ...(isPayload && { payload: readPayload(flags.payload, flags.set) }),
    labels: flags.label,
    version: flags.playbookVersion,
    time_as: flags.timeAs,
    overlap: flags.overlap,
    catchup_s: secondsOf('--catchup', flags.catchup),
    pause_on_failure: flags.pauseOnFailure,
    note: flags.note,
    limit: flags.limit === undefined ? undefined : wholeNumber(flags.limit, '--limit', 1),
  };
}

/** @throws UsageError with the diagnostics of the targets */
async function tellingOf({ on, deadline }: Making): Promise<Pick<NewSchedule, 'on' | 'deadline_s'>> {
  const deadline_s = secondsOf('--deadline', deadline);
  if (on === undefined) return { deadline_s };
  const { notificationsIn } = await import('../offline/notifications.js');
  return { on: notificationsIn(on), deadline_s };
}

function secondsOf(option: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : milliseconds(text, option) / 1000;
}

/** `1h+10m` */
function intervalOf(text: string): { every_s: number; offset_s?: number } {
  const [every = '', offset] = text.split('+');
  return { every_s: milliseconds(every, '--every') / 1000, offset_s: secondsOf('--every …+', offset) };
}

function calendarOf(text: string): JsonObject {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch {
    // reported below
  }
  throw new UsageError(`--calendar ${text}: expected a JSON object, e.g. {"hour": 2, "dayOfWeek": "MONDAY"}`);
}

/** @throws UsageError unless it is an RFC 3339 time with a zone */
function timeOf(option: string, text: string): Date {
  if (
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i.test(text) &&
    !Number.isNaN(Date.parse(text))
  )
    return new Date(text);
  throw new UsageError(`${option} ${text}: expected a time with its zone, like 2026-11-21T02:00:00Z`);
}

function collect(value: string, before: string[]): string[] {
  return [...before, value];
}
