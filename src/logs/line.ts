/** A line that a task printed. */
export interface LogLine {
  /** RFC 3339: when the worker read it. */
  readonly at: string;
  readonly step: string;
  readonly task: string;
  /** Tells runs of a step and iterations of a loop apart. */
  readonly task_run_id: string;
  readonly attempt: number;
  /** Absent outside of a loop. */
  readonly iteration?: number;
  /** `error`: the task's own failure. `notice`: what is said of the log itself. */
  readonly stream: 'stdout' | 'stderr' | 'error' | 'notice';
  /** Without its end, at most 64 KiB long. */
  readonly line: string;
}

export type Stream = 'stdout' | 'stderr';
