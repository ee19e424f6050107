/** What the user named, and where it is looked for. */
import { isDrawn, workflowId } from '../../plan';

/** Where the execution is looked for. */
export interface Where {
  readonly data?: string;
  readonly storage?: string;
}

/** What the user named. */
export interface Named {
  readonly execution_id: string;
  /** Null where only Temporal knows it: the execution was not started by us. */
  readonly workflow_id: string | null;
}

/** @param name an execution id, or the workflow id of a run that was started under another one */
export function named(name: string): Named {
  const isId = /^\d+$/.test(name);
  const workflow_id = !isId ? name : isDrawn(name) ? null : workflowId(name);
  return { execution_id: name.replace(/^noetl-(?=\d+$)/, ''), workflow_id };
}
