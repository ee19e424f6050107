/** `exec: local`: tasks that run on lease, together in one activity. */
import { ENGINE_KINDS, type TaskSpec } from '../../plan';
import { asText, presentValue } from '../yaml/node';
import { type Document, type LoopDoc, type StepDoc, type TaskDoc } from '../document/document';

/** Seconds: a task that may take longer keeps its own activity if only the executor requests `local`. */
const SHORT_S = 600;

/**
 * Whether the task runs on lease: requested by itself, its step or a surrounding loop, otherwise by the executor
 * for all that can.
 */
export function runsLocally(
  task: TaskDoc,
  spec: TaskSpec,
  step: StepDoc,
  document: Document,
  loops: readonly LoopDoc[],
): boolean {
  // What a claim takes is recorded before anything is done with it.
  if (task.stands?.kind === 'loop') return false;
  if (ENGINE_KINDS.has(task.kind) || whyNotLocal(task, step, document) !== undefined) return false;
  const own = asText(presentValue(task.spec, 'exec'));
  if (own !== undefined) return own === 'local';
  if (asksForLocal(step, loops)) return true;
  const written =
    asText(presentValue(step.spec, 'exec')) ?? asText(presentValue(document.executorSpec, 'exec'));
  const total = spec.timeout?.total;
  const isShort = !total || ('const' in total && Number(total.const) <= SHORT_S);
  return written === 'local' && isShort;
}

/** Requested by the step, or a loop in it. */
export function asksForLocal({ loop, spec }: StepDoc, loops: readonly LoopDoc[] = []): boolean {
  return (
    [loop, ...loops].some((one) => one?.exec === 'local') || asText(presentValue(spec, 'exec')) === 'local'
  );
}

/** Why a task cannot run on lease. */
export function whyNotLocal(task: TaskDoc, step: StepDoc, document: Document): string | undefined {
  const knob = (key: string): string | undefined =>
    [task.spec, step.spec, document.executorSpec]
      .map((spec) => asText(presentValue(spec, key)))
      .find(Boolean);
  if (knob('delivery') === 'at_most_once') return 'is delivered at most once';
  if (task.kind === 'playbook') return 'calls another playbook';
  return document.extensions.has(task.kind)
    ? `is of the kind \`${task.kind}\`, which workers of your own run`
    : undefined;
}
