/** Paths of playbooks. In Temporal they are workflow types and search attributes, which have limits of their own. */
import { INTERNAL_PREFIX, WORKFLOW_TYPE } from './names';

export const MAX_PATH_LENGTH = 200;

/** Temporal keeps `__temporal_` for itself. */
const PATH = new RegExp(
  String.raw`^(?!${INTERNAL_PREFIX}|__)[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,${MAX_PATH_LENGTH}}$`,
  'u',
);

/** Whether a playbook may have it as its `metadata.path`. */
export function isPlaybookPath(path: unknown): path is string {
  return typeof path === 'string' && PATH.test(path);
}

/**
 * The workflow type of a playbook's executions. Calls name whatever a template comes to, and the SDK finds `toString`
 * among the exports of a module: what cannot be a type runs as `playbook`, and fails there in words if it has to.
 */
export function workflowTypeOf(path: string): string {
  return isPlaybookPath(path) && !(path in {}) ? path : WORKFLOW_TYPE;
}
