/** The target named by the user, and where it is looked up. */
import { isDrawn, workflowId } from '../../language/plan';

/** Where the execution is looked up. */
export interface NamedPlaces {
  readonly data?: string;
  readonly storage?: string;
}

/** The target named by the user. */
export interface Named {
  readonly execution_id: string;
  /** Null if only Temporal knows it, because the execution was started by another client. */
  readonly workflow_id: string | null;
}

/** @param name an execution id, or the workflow id of a run started under another one */
export function named(name: string): Named {
  const isId = /^\d+$/.test(name);
  const workflow_id = !isId ? name : isDrawn(name) ? null : workflowId(name);
  return { execution_id: name.replace(/^noetl-(?=\d+$)/, ''), workflow_id };
}
