/** One execution, as Temporal knows it. */
export interface Followed {
  readonly namespace: string;
  readonly workflowId: string;
  /** The Temporal run under which it was found. */
  readonly runId: string;
  readonly executionId: string;
}
