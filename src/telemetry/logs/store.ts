/** Storage of log lines: chunks of an execution, each written once by the worker that read them. */
import { type LogLine } from './line';

export interface LogStore {
  /** Location for messages, without secrets. */
  readonly shown: string;
  /** @param name of `ChunkNames` */
  write(executionId: string, name: string, lines: readonly LogLine[]): Promise<void>;
  /** Names that sort after `after` (`''` for all), in order, at most `count`. */
  names(executionId: string, after: string, count: number): Promise<readonly string[]>;
  /** Undefined if it no longer exists. */
  read(executionId: string, name: string): Promise<readonly LogLine[] | undefined>;
}
