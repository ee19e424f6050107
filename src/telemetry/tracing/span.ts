/** The span of one run of a workflow, as the worker outside of the sandbox is told of it. */
import { type Sinks } from '@temporalio/workflow';
import { type RunPlace } from './context';

export interface RunSpan {
  readonly place: RunPlace;
  /** Milliseconds since the epoch, as the workflow knows them. */
  readonly start: number;
  readonly end: number;
  /** Of the playbook, where the input names one. */
  readonly path?: string;
  /** How the run ended; `continued`: another run goes on. */
  readonly end_as: RunEnd;
  /** Code of the failure. */
  readonly code?: string;
}

export type RunEnd = 'completed' | 'failed' | 'cancelled' | 'continued';

/** Nothing comes back from it and it leaves nothing in history, so that a worker may do with it what it likes. */
export interface TraceSinks extends Sinks {
  noetlTrace: {
    ended(span: RunSpan): void;
  };
}
