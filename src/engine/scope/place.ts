/** The place an expression stands in: what it can see beside workload, ctx and step results. */
import { type JsonObject, type PlaceKind, type Secret } from '../../plan';
import { type Frame, type StepResult, type StepRun, type TaskResult, type Token } from '../state';
import { type EventView } from './views';

/** A table that grows; that of the state, or one of a single call. */
export type SecretTable = Record<string, Secret>;

export interface Place {
  readonly run?: StepRun;
  readonly frame?: Frame;
  readonly token?: Token;
  readonly event?: EventView;
  /** The outcome at hand, in rules, `set` and arcs. `asData`: see OutcomeView. */
  readonly outcome?: TaskResult;
  readonly asData?: boolean;
  /** `response` is left undefined: what stands here does not look at failures, and this is one. */
  readonly hidesResponse?: boolean;
  /** Why the call or the step failed: a time limit or a loop has no outcome that would say it. */
  readonly error?: JsonObject;
  /** The result of the step itself, at its boundary; a loop's stands for `response`, `result` and `this`. */
  readonly own?: StepResult;
  /** Inputs that lie over the frame's: the task's own. */
  readonly input?: JsonObject;
  /** Where the handles of secrets are kept that templates become here; the state unless it is given. */
  readonly secrets?: SecretTable;
  /** In rules, policies and sinks: the call at hand. */
  readonly call?: CallNames;
}

/** The call at hand, as its rules see it; what it came to is the outcome of the place. */
export interface CallNames {
  /** `_retry`: the page where the call turns pages, else the attempt; and the executions so far. */
  readonly index: number;
  readonly count: number;
  /** Actions also have `result` and `this`. */
  readonly acting?: boolean;
  /** The step's own writes add nothing but `result`: the rest reads as at the step's arcs. */
  readonly writing?: true;
  /** Policies of `retry` have names of their own. */
  readonly retry?: { readonly attempt: number; maxAttempts(): number };
}

/** The row of the table of reserved roots that holds in the place: what stands in it, never what has a value. */
export function kindOf({ run, frame, token, event, outcome, own, call }: Place): PlaceKind {
  if (call?.writing) return event ? 'route' : 'done';
  if (call?.retry) return 'retry';
  if (call && frame?.passage?.stage === 'enter') return 'enter';
  if (call) return call.acting ? 'action' : 'guard';
  if (own) return 'arc';
  if (frame) return outcome ? 'outcome' : event ? 'wait' : 'task';
  return token ? 'admit' : run ? 'loop' : 'start';
}
