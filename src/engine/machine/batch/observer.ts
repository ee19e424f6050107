/**
 * Observes the engine while it applies a batch: the result of every evaluation, and the state at each event. Used for
 * explanations and time travel; a live run has no observer, and an observer never changes what the engine does.
 */
import { type TemplateScope, type Template } from '../../../language/template/runtime';
import { type Command } from './commands';
import { type EngineEvent } from './events';
import { type InputBatch } from './inputs';
import { type LiveState, type State } from '../state';

export interface Observer {
  /** A guard was evaluated; `scope` holds the names it could see, with their values at this moment. */
  guard?(guard: Template, verdict: boolean, scope: TemplateScope): void;
  /**
   * A token is about to be admitted to its step. This is between two micro-steps, so a clone of the state (`atRest`)
   * can be resumed (`rerunState`).
   */
  admitting?(token: string, state: LiveState): void;
  /** An event is about to be emitted; `state` is the engine's own: clone it, do not modify it. */
  emitted?(event: EngineEvent, state: LiveState): void;
  /**
   * A batch is about to be applied: those that a lease returns one by one, when it returns. The machine may keep parts
   * of its inputs, and change them. `chunk`: its id, if the machine runs a chunk.
   */
  applying?(batch: InputBatch, chunk?: string): void;
  /**
   * Between two micro-steps of an execution's batch. A batch may come to hundreds of thousands of events. `interim`: what a
   * machine needs to go on from here; it shares parts with this one, and is valid until the next micro-step.
   */
  between?(interim: () => Interim): void;
  /** The batch was applied, with all commands and events it led to, also those of tasks on lease. */
  applied?(batch: InputBatch, applied: Applied, chunk?: string): void;
}

/** A machine in the middle of a batch. */
export interface Interim {
  readonly state: State;
  /** Work of the batch so far, in units of the template language's meter. */
  readonly spent: number;
  /** Of the batch so far. */
  readonly commands: readonly Command[];
}

/** What the machine did with a batch. */
export interface Applied {
  readonly commands: readonly Command[];
  readonly events: readonly EngineEvent[];
}
