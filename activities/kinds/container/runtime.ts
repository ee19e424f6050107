/** A runtime's report on an ended container. */
export interface ContainerEnd {
  readonly exitCode: number;
  readonly outOfMemory: boolean;
  readonly stdout: string;
  /** Empty if the runtime has only one stream. */
  readonly stderr: string;
  /** The runtime's id. */
  readonly id: string;
  /** It was started by a lost worker. */
  readonly adopted: boolean;
  /** Why its output is incomplete, if so. */
  readonly logLost?: string;
}
