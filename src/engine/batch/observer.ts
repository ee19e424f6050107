/**
 * Looks over the engine's shoulder while a batch is applied: what was evaluated to what, and the state at each event.
 * For explanations and time travel; a run has none, and an observer never changes what the engine does.
 */
import { type Scope, type Template } from '../../template/runtime';
import { type EngineEvent } from './events';
import { type LiveState } from '../state';

export interface Observer {
  /** A guard was evaluated; `scope` holds the names it saw, as they are at this moment. */
  guard?(guard: Template, verdict: boolean, scope: Scope): void;
  /**
   * A token is about to be admitted to its step: between two micro-steps, where a clone of the state (`atRest`) can
   * be gone on from (`rerunState`).
   */
  admitting?(token: string, state: LiveState): void;
  /** An event is about to be told; `state` is the engine's own: look, clone, do not touch. */
  emitted?(event: EngineEvent, state: LiveState): void;
}
