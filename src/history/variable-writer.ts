/** Who wrote a variable, according to the event that records it. */
import { type CanonicalEvent } from './events';

export interface VariableWriter {
  /** `user_defined`: set from outside; `step_result`: written by a step of the playbook. */
  readonly type: 'user_defined' | 'step_result';
  /** The step that wrote it, if any. */
  readonly step: string | null;
}

/** @param event `variables.set` or `ctx.patched` */
export function variableWriter({
  event_type,
  parent_id,
}: Pick<CanonicalEvent, 'event_type' | 'parent_id'>): VariableWriter {
  // `fetch#2[7].store~1@1` → `fetch`
  const step = event_type === 'variables.set' ? undefined : /^([^#]+)#/.exec(parent_id ?? '')?.[1];
  return step === undefined ? { type: 'user_defined', step: null } : { type: 'step_result', step };
}
