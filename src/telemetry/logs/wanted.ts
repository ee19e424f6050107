/** Which lines of a log are wanted. */
import { stripVTControlCharacters } from 'node:util';
import { isWithin } from '../../language/plan';
import { type LogLine } from './line';

export interface LogFilter {
  readonly step?: string | undefined;
  /** A step run, an iteration (`fetch#1[3]`), a task (with or without its attempt). */
  readonly task?: string | undefined;
  readonly iteration?: number | undefined;
  readonly stream?: string | undefined;
  /** In any case, whatever its colors. */
  readonly text?: string | undefined;
  /** RFC 3339: as far as it was printed by then. */
  readonly until?: string | undefined;
}

/** Undefined where all lines are. */
export function wantedLines(filter: LogFilter): ((line: LogLine) => boolean) | undefined {
  const { step, task, iteration, stream, until } = filter;
  const text = filter.text?.toLowerCase();
  const last = until === undefined ? undefined : Date.parse(until);
  const tests: ((line: LogLine) => boolean)[] = [];
  if (step !== undefined) tests.push((line) => line.step === step);
  if (task !== undefined) tests.push(({ task_run_id }) => isWithin(task_run_id, task));
  if (iteration !== undefined) tests.push((line) => line.iteration === iteration);
  if (stream !== undefined) tests.push((line) => line.stream === stream);
  if (last !== undefined) tests.push(({ at }) => Date.parse(at) <= last);
  if (text) tests.push(({ line }) => stripVTControlCharacters(line).toLowerCase().includes(text));
  return tests.length === 0 ? undefined : (line) => tests.every((test) => test(line));
}
