/** What a runtime says of a container that has ended. */
export interface ContainerEnd {
  readonly exitCode: number;
  readonly outOfMemory: boolean;
  readonly stdout: string;
  /** Empty where the runtime keeps one stream only. */
  readonly stderr: string;
  /** As the runtime calls it. */
  readonly id: string;
  /** A lost worker had started it. */
  readonly adopted: boolean;
  /** Why not all of its output is here, where that is so. */
  readonly logLost?: string;
}
