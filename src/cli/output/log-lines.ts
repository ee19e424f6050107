/** Output of tools as lines, from the events that end their tasks: used if logs were not stored while they ran. */
import { type CanonicalEvent } from '../../history';
import { type LogLine } from '../../telemetry/logs';
import { compact, isMapping, taskPlaceIn } from '../../language/plan';

/** The lines of an event, at the end of its task; for python they are beside the result, for other kinds in it. */
export function logLines(event: CanonicalEvent): LogLine[] {
  const { event_type, timestamp: at, task_run_id, payload } = event;
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
  return texts.flatMap(([stream, text]) =>
    linesOf(text).map((line) => ({ at, ...taskOf(event, task_run_id), stream, line })),
  );
}

function taskOf(
  { attempt, iteration }: CanonicalEvent,
  task_run_id: string,
): Omit<LogLine, 'at' | 'stream' | 'line'> {
  const { step, task } = taskPlaceIn(task_run_id);
  return { step, task, task_run_id, attempt: attempt ?? 1, ...compact({ iteration }) };
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
