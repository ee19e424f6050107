/** A line of a task's output. */
export interface LogLine {
  /** RFC 3339: when the worker read it. */
  readonly at: string;
  readonly step: string;
  readonly task: string;
  /** Distinguishes runs of a step and iterations of a loop. */
  readonly task_run_id: string;
  readonly attempt: number;
  /** Absent outside a loop. */
  readonly iteration?: number;
  /** `error`: the task's own failure. `notice`: a message about the log itself. */
  readonly stream: 'stdout' | 'stderr' | 'error' | 'notice';
  /** Without its line break, at most 64 KiB long. */
  readonly line: string;
}

export type LogStream = 'stdout' | 'stderr';

/** Lines that stand together. */
export interface LogPart {
  /** Place of the first one. */
  readonly from: string;
  readonly lines: number;
}
