/** A parsed faults file. */
import { type Input } from '../../../engine/machine';
import { type Json, type JsonObject } from '../../../language/plan';
import { type MockAnswer, type Invariant } from '../../rehearsal';

/** How the calls of a task go; rates from 0 to 1, times in milliseconds. */
export interface Faults {
  readonly failures?: number;
  readonly errors?: readonly MockAnswer[];
  readonly lost?: number;
  readonly duplicates?: number;
  readonly delay?: readonly [number, number];
  readonly answers?: readonly MockAnswer[];
}

/** Faults of the calls that `matches` accepts; of a higher rank wins. */
export interface RankedFaults {
  readonly rank: number;
  readonly faults: Faults;
  matches(call: {
    readonly kind: string;
    readonly step: string;
    readonly task: string;
    readonly iteration?: number;
  }): boolean;
}

export interface DrawnEvent {
  /** Milliseconds since the start. */
  readonly after: readonly [number, number];
  readonly input: Input;
  readonly lost: number;
  readonly duplicates: number;
}

export interface Simulation {
  readonly payload: JsonObject;
  /** By name, in the order of the file. */
  readonly draw: readonly (readonly [string, readonly Json[]])[];
  readonly usesRehearsals: boolean;
  /** From general to specific. */
  readonly faults: readonly RankedFaults[];
  readonly events: readonly DrawnEvent[];
  readonly mayWait: boolean;
  readonly limit: number;
  readonly invariants: readonly Invariant[];
}
