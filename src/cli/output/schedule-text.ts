/** Formats schedules as text. */
import { labelPairs } from '../../language/plan/labels';
import { duration, printable } from './paint';
import { textTable } from './table';
import { timesText } from '../../temporal/schedules/calendar-text';
import { type ScheduleDetails, type ScheduleDocument } from '../../server/facade/documents';

export function schedulesText(all: readonly ScheduleDocument[]): string {
  if (all.length === 0) return 'no schedules';
  const rows = all.map((one) => [
    one.name,
    playbookOf(one),
    one.paused ? 'paused' : (one.next[0] ?? 'over'),
    one.last ?? 'never',
    one.error ? `not started: ${one.error.code}` : '',
  ]);
  return textTable([['name', 'playbook', 'next', 'last', 'failed'], ...rows]);
}

export function scheduleText(one: ScheduleDetails): string {
  const { payload, runs } = one;
  const facts: [string, string][] = [
    ['playbook', playbookOf(one)],
    ['state', one.paused ? `paused${one.note ? `: ${one.note}` : ''}` : (one.note ?? 'active')],
    ['starts', rulesOf(one)],
    ...where('failed', one.error === null ? null : `${one.error.code}: ${one.error.message}`),
    ['next', one.next.slice(0, 3).join(', ') || 'never'],
    ...where('timezone', one.timezone === '' ? null : one.timezone),
    ['overlap', one.overlap],
    ['catch-up', duration(one.catchup_s * 1000)],
    ['payload', JSON.stringify(payload)],
    ...where('labels', labelPairs(one.labels).join(' ') || null),
    ...where('time as', one.time_as),
    ...where('deadline', one.deadline_s === null ? null : duration(one.deadline_s * 1000)),
    ...where('tells', one.on === null ? null : JSON.stringify(one.on)),
    ['started', `${one.started}, skipped ${one.skipped}, missed ${one.missed}`],
    ...where('remaining', one.remaining === null ? null : String(one.remaining)),
  ];
  const head = facts.map(([name, value]) => `${name.padEnd(9)}  ${printable(value)}`);
  if (runs.length === 0) return [one.name, ...head].join('\n');
  const rows = runs.map((run) => [
    run.scheduled_at,
    run.error ? `${run.status} ${run.error.code}` : run.status,
    run.execution_id ?? '-',
    run.workflow_id,
  ]);
  return [
    one.name,
    ...head,
    '',
    textTable([['scheduled', 'status', 'execution', 'started by'], ...rows]),
  ].join('\n');
}

/** @example 'every 5m; at 02:00, Monday to Friday' */
function rulesOf(details: ScheduleDetails): string {
  return timesText(details).join('; ') || 'never';
}

function where(name: string, value: string | null): [string, string][] {
  return value === null ? [] : [[name, value]];
}

function playbookOf({ path, version }: ScheduleDocument): string {
  return `${path}${version === null ? '' : ` version ${version}`}`;
}
