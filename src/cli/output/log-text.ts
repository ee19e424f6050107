/** Formats log lines as text. */
import { taskPath } from '../../language/plan';
import { type LogLine } from '../../telemetry/logs';
import { type Paint, printable } from './paint';

const MARKS: Readonly<Record<LogLine['stream'], string>> = {
  stdout: ' ',
  stderr: '!',
  error: '×',
  notice: '…',
};

/** The format of `logs`; times are UTC. */
export function lineText({ at, task_run_id, stream, line }: LogLine): string {
  return `${at.slice(11, 23)}Z ${task_run_id} ${MARKS[stream]} ${printable(line)}`;
}

/** The format beside the progress of a run. */
export function logLineText(
  { step, task, iteration, stream, line }: LogLine,
  { dim, yellow }: Paint,
): string {
  const name = taskPath(step, task);
  const where = iteration === undefined ? name : `${name}[${iteration}]`;
  const text = printable(line);
  return `  ${dim(`${where} │`)} ${stream === 'notice' ? yellow(text) : text}`;
}
