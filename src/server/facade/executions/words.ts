import { type ExecutionStatusWord } from '../documents/executions';
/** Names of execution statuses in NoETL's clients. */

const OVER: readonly ExecutionStatusWord[] = ['COMPLETED', 'FAILED', 'CANCELLED'];

export function isOver(status: ExecutionStatusWord): boolean {
  return OVER.includes(status);
}

/** `load/store: HTTP 503`; null without an error. */
export function errorSentence(error: unknown): string | null {
  if (typeof error === 'string') return error;
  if (typeof error !== 'object' || error === null) return null;
  const { step, task, message } = error as Record<string, unknown>;
  const place = [step, task].filter((part) => typeof part === 'string' && part !== '').join('/');
  const text = typeof message === 'string' ? message : JSON.stringify(error);
  return place === '' || text.startsWith(`${place}: `) ? text : `${place}: ${text}`;
}
