/** What is asked of whoever knows the playbooks (D23). */
export interface PlaybookRequest {
  /** `metadata.path`, or, where playbooks are files, the path of a file relative to the caller's. */
  readonly path: string;
  /** The newest unless given. */
  readonly version?: string;
  /** The file of the caller, where it came from one. */
  readonly from?: string;
}
