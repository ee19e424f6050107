/** What the user named, and where it is looked for. */
import { workflowId } from '../../plan';

/** Where the execution is looked for. */
export interface Where {
  readonly data?: string;
  readonly storage?: string;
}

/** What the user named. */
export interface Named {
  readonly execution_id: string;
  readonly workflow_id: string;
}

/** @param name an execution id, or the workflow id of a run that was started under another one */
export function named(name: string): Named {
  const workflow_id = /^\d+$/.test(name) ? workflowId(name) : name;
  return { execution_id: name.replace(/^noetl-(?=\d+$)/, ''), workflow_id };
}
