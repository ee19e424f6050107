/** What tells whether an execution is stuck, as far as its history has it. */
import { type ReadExecution } from './recorded';

export interface StuckFacts {
  readonly isOver: boolean;
  /** Milliseconds since the epoch: its last activity. */
  readonly now: number;
  readonly waitsOnPurpose: boolean;
}

export function stuckFacts(read: ReadExecution): StuckFacts {
  return {
    isOver: read.endedAt !== undefined,
    now: read.state.now,
    waitsOnPurpose: isWaitingOnPurpose(read),
  };
}

/** Paused, asleep, or waiting for an event, a retry, a sub-playbook or a part of a loop in another workflow. */
function isWaitingOnPurpose({ status, state }: ReadExecution): boolean {
  const { waits, timers, children, longTasks, chunks } = state;
  return (
    status === 'PAUSED' ||
    [waits, timers, children, longTasks, chunks].some((record) => Object.keys(record).length > 0)
  );
}
