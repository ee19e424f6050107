import { type SourcePosition } from './value';
import { type TaskPlan } from './plan';

/**
 * Where in the playbook the error of a task lies: a template error names its location, a code error names the line in the
 * code. Undefined if it names neither.
 */
export function placeOfError(
  task: Pick<TaskPlan, 'codeAt'>,
  error: { readonly at?: unknown; readonly line?: unknown; readonly code?: unknown } | null,
): SourcePosition | undefined {
  const { at, line } = error ?? {};
  if (Array.isArray(at)) return [Number(at[0]), Number(at[1])];
  return task.codeAt && typeof line === 'number' ? [task.codeAt[0] + line - 1, task.codeAt[1]] : undefined;
}
