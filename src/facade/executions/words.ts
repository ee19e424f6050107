/** Names of execution statuses in NoETL's clients. */

/** Upper case: the official GUI and CLI recognise COMPLETED, FAILED and CANCELLED, and treat others as running. */
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

/** `20ms`, `0.3s`, `16s`, `2m 5s`, `1h 4m` */
export function humanDuration(seconds: number): string {
  if (seconds > 0 && seconds < 0.05) return `${Math.max(1, Math.round(seconds * 1000))}ms`;
  if (seconds > 0 && seconds < 0.95) return `${seconds.toFixed(1)}s`;
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole}s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${whole % 60}s`;
  return `${Math.floor(whole / 3600)}h ${Math.floor((whole % 3600) / 60)}m`;
}

/** `load/store: HTTP 503`; null without an error. */
export function errorText(error: unknown): string | null {
  if (typeof error === 'string') return error;
  if (typeof error !== 'object' || error === null) return null;
  const { step, task, message } = error as Record<string, unknown>;
  const place = [step, task].filter((part) => typeof part === 'string' && part !== '').join('/');
  const text = typeof message === 'string' ? message : JSON.stringify(error);
  return place === '' || text.startsWith(`${place}: `) ? text : `${place}: ${text}`;
}
