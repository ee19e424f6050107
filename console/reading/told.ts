/** A run as far as its reader has told it. */
import { type ExplainedDecision } from '../../src/history';
import { type Plan } from '../../src/language/plan';
import { Tape } from '../tape/tape';
import { type ReaderMessage } from './protocol';

export interface RunReading {
  readonly tape?: Tape;
  readonly plan?: Plan;
  /** The backlog has been read. */
  readonly caughtUp: boolean;
  /** The run has ended. */
  readonly over: boolean;
  /** The tape has only the beginning of the run, and stays as it is. */
  readonly long?: boolean;
  readonly lost: boolean;
  readonly divergence?: string;
  readonly failed?: { readonly code: string; readonly message: string };
  readonly decisions?: readonly ExplainedDecision[];
}

export const NOTHING_READ: RunReading = { caughtUp: false, over: false, lost: false };

/** A reading, once it has that message too. */
export function readingAfter(before: RunReading, message: ReaderMessage): RunReading {
  switch (message.type) {
    case 'events': {
      const { begins, events, leftOut } = message;
      const reading = begins
        ? { ...NOTHING_READ, lost: before.lost, plan: begins.plan, tape: new Tape(begins.graph) }
        : { ...before };
      reading.tape!.take(events);
      reading.tape!.leftOut = leftOut;
      return reading;
    }
    case 'long':
      return { ...before, caughtUp: true, long: true };
    case 'caughtUp':
      return {
        ...before,
        caughtUp: true,
        over: message.over,
        ...(message.divergence ? { divergence: message.divergence } : {}),
      };
    case 'connection':
      return { ...before, lost: message.lost };
    case 'decisions':
      return { ...before, decisions: message.decisions };
    case 'failed':
      return { ...before, failed: message };
  }
}
