/** The text printed by `status`. Pure. */
import { type WorkflowTaskTrouble } from '../../temporal/client';
import { type StandingNow } from '../runtime/executions/execution';
import { duration, paint, type Paint, printable } from './paint';
import { progressBlock, progressSummary } from './progress-lines';
import { unservedText } from './unserved-text';

const MAX_RESULT = 2000;

/** @param now milliseconds since 1970 */
export function statusText(
  status: StandingNow & { readonly workflow_task?: WorkflowTaskTrouble },
  now: number,
  { bold, dim, red }: Paint,
  color: boolean,
): string {
  const { path, version, error, rerun_of } = status;
  const lines = [
    `${bold(status.skipped ? 'skipped' : status.status)}  ${path}${version === null ? '' : ` ${version}`}  ${dim(status.execution_id)}`,
  ];
  if (status.deadline_at !== null && status.late)
    lines.push(`  ${red('late')} deadline ${status.deadline_at}`);
  if (rerun_of) lines.push(dim(`  rerun of ${rerun_of.execution_id} from ${rerun_of.step_run_id}`));
  if (status.finished_at === null) {
    lines.push(
      dim(
        `  since ${status.started_at}${status.late || !status.deadline_at ? '' : `, deadline ${status.deadline_at}`}`,
      ),
    );
    lines.push(...status.unserved.map((one) => `  ${red(unservedText(one, now))}`));
    lines.push(
      ...progressBlock({ progress: progressOf(status), elapsed: status.duration_ms, now, tick: 0 }, color),
    );
    if (status.workflow_task)
      lines.push(...troubleLines(status.workflow_task, color).map((line) => `  ${line}`));
    return lines.join('\n');
  }
  lines.push(dim(`  ${status.started_at} to ${status.finished_at}, ${duration(status.duration_ms)}`));
  lines.push(dim(`  ${progressSummary(progressOf(status), status.duration_ms)}`));
  if (error)
    lines.push(
      `  ${red(error.code)} ${[error.step, error.task].filter(Boolean).join('/')} ${printable(error.message)}`,
    );
  else if (status.result !== null) lines.push(`  ${shortened(printable(JSON.stringify(status.result)))}`);
  return lines.join('\n');
}

/** Of `status` and `explain`. */
export function troubleLines({ code, message, hint }: WorkflowTaskTrouble, color: boolean): string[] {
  const { red, dim } = paint(color);
  return [`${red(code)} ${printable(message)}`, dim(hint)];
}

function progressOf(status: StandingNow) {
  return { ...status, status: status.status as never, steps_executed: [...status.steps_executed] };
}

function shortened(text: string): string {
  return text.length > MAX_RESULT ? `${text.slice(0, MAX_RESULT)}… (--json prints it whole)` : text;
}
