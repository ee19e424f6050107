/** What happened, for people and as JSON. */
import { type Done } from './faults';
import { type Member, type MemoryPoint } from './member';
import { type Verdict } from './verdict';

export interface Report {
  readonly seed: string;
  readonly minutes: number;
  readonly cluster: boolean;
  readonly submitted: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly executions: Verdict['executions'];
  readonly events: number;
  readonly rows: number;
  readonly repeats: Verdict['repeats'];
  /** From the end of a fault, with everything restored, to the next execution that ended. */
  readonly slowestRecovery?: { readonly seconds: number; readonly after: string };
  /** From a kill to the process that does its work again; the slowest of each process. */
  readonly slowestRestarts: Readonly<Record<string, number>>;
  readonly memory: Readonly<Record<string, readonly MemoryPoint[]>>;
  /** Processes that ended although nobody asked them to: their last words. */
  readonly ownEnds: Readonly<Record<string, readonly string[]>>;
  readonly violations: readonly string[];
  readonly seconds: number;
}

export function recovery(faults: readonly Done[], ends: readonly number[]): Report['slowestRecovery'] {
  const sorted = [...ends].sort((a, b) => a - b);
  const waits = faults.flatMap((fault) => {
    const next = sorted.find((end) => end >= fault.until);
    const seconds = next === undefined ? undefined : (next - fault.until) / 1000;
    return seconds === undefined ? [] : [{ seconds, after: `${fault.kind} ${fault.member}` }];
  });
  return waits.sort((a, b) => b.seconds - a.seconds)[0];
}

export function slowestRestarts(faults: readonly Done[]): Record<string, number> {
  const slowest: Record<string, number> = {};
  for (const { kind, member, from, until, seconds } of faults)
    if (kind === 'kill')
      slowest[member] = Math.max(slowest[member] ?? 0, round((until - from) / 1000 - seconds));
  return slowest;
}

export function memoryOf(members: readonly Member[]): Report['memory'] {
  return Object.fromEntries(members.map(({ name, memory }) => [name, memory]));
}

export function summary(report: Report): string {
  const { slowestRecovery, violations } = report;
  const counts = (of: Readonly<Record<string, number>>): string =>
    Object.entries(of)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ');
  return [
    `seed ${report.seed}, ${report.minutes} min on ${report.cluster ? 'a cluster' : 'a dev server'}, ${report.seconds} s in all`,
    `faults:      ${counts(report.faults)}`,
    `executions:  ${report.submitted} submitted; ${counts(report.executions)}`,
    `events:      ${report.events}`,
    `rows:        ${report.rows}, written again ${report.repeats.rows} times`,
    `calls:       repeated ${report.repeats.calls} times, one of them ${report.repeats.most} times`,
    `recovery:    ${slowestRecovery ? `${slowestRecovery.seconds.toFixed(1)} s after ${slowestRecovery.after}` : 'not needed'}`,
    `restarts:    at most ${Object.entries(report.slowestRestarts)
      .map(([name, seconds]) => `${name} ${seconds} s`)
      .join(', ')}`,
    'memory, MiB (first, middle, last, most):',
    ...Object.entries(report.memory).map(([name, points]) => `  ${name.padEnd(18)}${curve(points)}`),
    ...Object.entries(report.ownEnds).map(
      ([name, ends]) => `${name} ended by itself ${ends.length} times, at last: ${ends.at(-1)}`,
    ),
    violations.length === 0 ? 'nothing lost, stuck, failed or doubled' : `${violations.length} violations:`,
    ...violations.map((violation) => `  ${violation}`),
  ].join('\n');
}

function curve(points: readonly MemoryPoint[]): string {
  const at = (part: number): number => points[Math.floor((points.length - 1) * part)]?.mib ?? 0;
  const most = Math.max(0, ...points.map(({ mib }) => mib));
  return [at(0.02), at(0.5), at(1), most].map((mib) => String(mib).padStart(7)).join('');
}

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}
