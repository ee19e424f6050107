/** Words of NoETL's clients for how an execution stands (facts/noetl-clients.md). */

/** Upper case: the official GUI and CLI know COMPLETED, FAILED and CANCELLED, and take the rest for running. */
export const STATUSES = [
  'RUNNING',
  'PAUSED',
  'CANCELLING',
  'FAILING',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
] as const;
export type Status = (typeof STATUSES)[number];

const OVER: readonly Status[] = ['COMPLETED', 'FAILED', 'CANCELLED'];

export function isOver(status: Status): boolean {
  return OVER.includes(status);
}

/** Temporal's word for each: what an operator or a time limit ended has failed. */
export const TEMPORAL_STATUSES: Readonly<Record<'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELLED', string[]>> =
  {
    RUNNING: ['Running'],
    COMPLETED: ['Completed'],
    FAILED: ['Failed', 'Terminated', 'TimedOut'],
    CANCELLED: ['Canceled'],
  };

/** @param name as the client of Temporal spells it: COMPLETED, TIMED_OUT, … */
export function statusOfTemporal(name: string): Status {
  if (name === 'COMPLETED' || name === 'CANCELLED') return name;
  return name === 'RUNNING' || name === 'PAUSED' ? 'RUNNING' : 'FAILED';
}

/** `16s`, `2m 5s`, `1h 4m` */
export function humanDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole}s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${whole % 60}s`;
  return `${Math.floor(whole / 3600)}h ${Math.floor((whole % 3600) / 60)}m`;
}

/** `load/store: HTTP 503`; null where there is no error. */
export function errorText(error: unknown): string | null {
  if (typeof error === 'string') return error;
  if (typeof error !== 'object' || error === null) return null;
  const { step, task, message } = error as Record<string, unknown>;
  const place = [step, task].filter((part) => typeof part === 'string' && part !== '').join('/');
  const said = typeof message === 'string' ? message : JSON.stringify(error);
  return place === '' || said.startsWith(`${place}: `) ? said : `${place}: ${said}`;
}
