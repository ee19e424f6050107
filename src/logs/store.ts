/** Where lines are kept: chunks of an execution, each written once by the worker that read them. */
import { type LogLine } from './line';

export interface LogStore {
  /** For messages: where it is, without secrets. */
  readonly shown: string;
  /** @param name of `ChunkNames` */
  write(executionId: string, name: string, lines: readonly LogLine[]): Promise<void>;
  /** Names that sort behind `after` (all do behind `''`), in order, the first of `count`. */
  names(executionId: string, after: string, count: number): Promise<readonly string[]>;
  /** Undefined where it is gone. */
  read(executionId: string, name: string): Promise<readonly LogLine[] | undefined>;
}
