/** What tools wrote, line by line, from the events that end their tasks. */
import { type CanonicalEvent } from '../../history';
import { isMapping } from '../../plan';

export interface LogLine {
  /** RFC 3339: when the task ended. */
  readonly timestamp: string;
  readonly step: string;
  readonly task_run_id: string;
  readonly stream: 'stdout' | 'stderr' | 'error';
  readonly line: string;
}

/** The lines of an event; of python they stand beside the result, of other kinds in it. */
export function logLines({ event_type, timestamp, task_run_id, payload }: CanonicalEvent): LogLine[] {
  if (task_run_id === undefined || (event_type !== 'task.done' && event_type !== 'task.failed')) return [];
  const outcome = isMapping(payload['outcome']) ? payload['outcome'] : {};
  const textOf = (stream: string): string =>
    [outcome['py'], outcome['result']]
      .map((holder) => (isMapping(holder) ? holder[stream] : undefined))
      .find((text): text is string => typeof text === 'string') ?? '';
  const { error } = outcome;
  const texts = [
    ['stdout', textOf('stdout')],
    ['stderr', textOf('stderr')],
    ['error', isMapping(error) ? `${String(error['code'])}: ${String(error['message'])}` : ''],
  ] as const;
  const step = /^[^#]+/.exec(task_run_id)?.[0] ?? '';
  return texts.flatMap(([stream, text]) =>
    linesOf(text).map((line) => ({ timestamp, step, task_run_id, stream, line })),
  );
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
