/**
 * Keyframes: states of a run, so that what was the case at any event follows from the nearest one before it and the inputs
 * since. A derivation tells its recorder what its machine is given.
 */
import {
  type InputBatch,
  type EngineEvent,
  type Interim,
  type LiveState,
  type State,
} from '../../engine/machine';
import { type Plan } from '../../language/plan';
import { type CanonicalEvent } from '../events';

/** What a derivation needs to go on. */
export interface Standstill {
  readonly plan: Plan;
  readonly state: State;
  /** Of chunks that have started, by reference. */
  readonly chunks: Readonly<Record<string, State>>;
  /** In the middle of a batch. */
  readonly interim?: Pick<Interim, 'spent' | 'commands'>;
}

export interface KeyframeRecorder {
  /** The machine is about to be given a batch. @param seq of the last event before it */
  applying(batch: InputBatch, seq: number, standstill: () => Standstill): void;
  /** It is in the middle of one. */
  between(seq: number, standstill: () => Standstill): void;
  /** @param at milliseconds since the epoch @param state of the machine that emitted it */
  emitted(event: EngineEvent, at: number, state: LiveState): void;
  /** An event that the engine does not know: Temporal or an operator caused it. */
  caused(event: CanonicalEvent): void;
  /** What follows does not follow from the machine before: a run of Temporal begins, or the last one ended. */
  cut(seq: number): void;
  /** As `cut`, for a reset: earlier events at the positions that follow are no part of the execution any more. */
  reset(seq: number): void;
}
