/** What a task prints, on its way to those who follow its execution. */
import { type LogWriter } from '../../../src/telemetry/logs';
import { compact, type Outcome, type TaskCall } from '../../../src/language/plan';
import { type Redactor } from '../credentials/redact';
import { type Print } from '../tool/tool';

export interface Printed {
  readonly print: Print;
  /** Says the rest, and why the task failed. */
  end(outcome: Outcome): void;
}

export function printing(logs: LogWriter | undefined, call: TaskCall, hide: Redactor): Printed | undefined {
  if (!logs) return undefined;
  const { execution_id, step, task, task_run_id, attempt, iteration, options } = call;
  const of = { step, task, task_run_id, attempt, ...compact({ iteration }) };
  // What is sensitive is known when the tool has answered, and not before.
  const untilEnd = options['sensitive'] !== undefined;
  const printer = logs.open({ execution_id, of, hide, untilEnd });
  return {
    print: (stream, chunk) => printer.write(stream, chunk),
    end: ({ error }) => logs.close(printer, error ? `${error.code}: ${error.message}` : undefined),
  };
}
