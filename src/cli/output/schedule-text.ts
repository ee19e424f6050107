/** Formats schedules as text. */
import { type ScheduleDetails, type ScheduleDocument } from '../../temporal/schedules';
import { printable } from './paint';
import { textTable } from './table';

export function schedulesText(all: readonly ScheduleDocument[]): string {
  if (all.length === 0) return 'no schedules';
  const rows = all.map((one) => [
    one.name,
    playbookOf(one),
    one.paused ? 'paused' : (one.next[0] ?? 'over'),
    one.last ?? 'never',
  ]);
  return textTable([['name', 'playbook', 'next', 'last'], ...rows]);
}

export function scheduleText(one: ScheduleDetails): string {
  const { payload, runs } = one;
  const facts: [string, string][] = [
    ['playbook', playbookOf(one)],
    ['state', one.paused ? `paused${one.note ? `: ${one.note}` : ''}` : (one.note ?? 'active')],
    ['next', one.next.slice(0, 3).join(', ') || 'never'],
    ['timezone', one.timezone],
    ['overlap', one.overlap],
    ['catch-up', `${one.catchup_s} s`],
    ['payload', JSON.stringify(payload)],
    ...where('deadline', one.deadline_s === null ? null : `${one.deadline_s} s`),
    ...where('tells', one.on === null ? null : JSON.stringify(one.on)),
    ['started', `${one.started}, skipped ${one.skipped}, missed ${one.missed}`],
    ...where('remaining', one.remaining === null ? null : String(one.remaining)),
  ];
  const head = facts.map(([name, value]) => `${name.padEnd(9)}  ${printable(value)}`);
  if (runs.length === 0) return [one.name, ...head].join('\n');
  const rows = runs.map((run) => [run.scheduled_at, run.status, run.execution_id ?? '-', run.workflow_id]);
  return [
    one.name,
    ...head,
    '',
    textTable([['scheduled', 'status', 'execution', 'started by'], ...rows]),
  ].join('\n');
}

function where(name: string, value: string | null): [string, string][] {
  return value === null ? [] : [[name, value]];
}

function playbookOf({ path, version }: ScheduleDocument): string {
  return `${path}${version === null ? '' : ` version ${version}`}`;
}
