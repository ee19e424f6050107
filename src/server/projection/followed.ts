/** One execution, as Temporal knows it. */
export interface Followed {
  readonly namespace: string;
  readonly workflowId: string;
  /** The Temporal run under which it was found. */
  readonly runId: string;
  readonly executionId: string;
}

/** A place in the history of an execution. */
export interface ReadPlace {
  /** Of Temporal. */
  readonly runId: string;
  /** Events of that run. */
  readonly length: number;
}
