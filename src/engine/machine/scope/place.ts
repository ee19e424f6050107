/** The place where an expression is evaluated: what it can see besides workload, ctx and step results. */
import { type JsonObject, type PlaceKind, type Secret } from '../../../language/plan';
import { type Frame, type StepResult, type StepRun, type TaskResult, type Token } from '../state';
import { type EventView } from './views';

/** A growing table of secrets: the state's, or that of a single call. */
export type SecretTable = Record<string, Secret>;

/** Written out where each guard makes one: V8 until Node 20 takes microseconds for what is added to a spread. */
export interface EnginePlace {
  readonly run?: StepRun;
  readonly frame?: Frame;
  readonly token?: Token;
  readonly event?: EventView;
  /** The current outcome, in rules, `set` and arcs. `asData`: see OutcomeView. */
  readonly outcome?: TaskResult;
  readonly asData?: boolean;
  /** `response` is undefined: the expression does not handle failures, and this outcome is one. */
  readonly hidesResponse?: boolean;
  /** Why the call or step failed: time limits and loops have no outcome that would carry the reason. */
  readonly error?: JsonObject;
  /** The step's own result, at its boundary; for a loop, it also provides `response`, `result` and `this`. */
  readonly own?: StepResult;
  /** Inputs that override the frame's: the task's own. */
  readonly input?: JsonObject;
  /** The table for secrets behind templates that become handles here; defaults to the state's. */
  readonly secrets?: SecretTable;
  /** In rules, policies and sinks: the current call. */
  readonly call?: CallNames;
}

/** The current call as its rules see it; its outcome is that of the place. */
export interface CallNames {
  /** `_retry`: the page when the call is paginated, otherwise the attempt; and the number of executions so far. */
  readonly index: number;
  readonly count: number;
  /** Actions additionally see `result` and `this`. */
  readonly acting?: boolean;
  /** The step's own writes additionally see only `result`: everything else reads as at the step's arcs. */
  readonly writing?: true;
  /** Policies of `retry` have their own names. */
  readonly retry?: { readonly attempt: number; maxAttempts(): number };
}

/** Row of the table of reserved roots that applies here: it depends on the place, never on which values exist. */
export function kindOf({ run, frame, token, event, outcome, own, call }: EnginePlace): PlaceKind {
  if (call?.writing) return event ? 'route' : 'done';
  if (call?.retry) return 'retry';
  if (call && frame?.passage?.stage === 'enter') return 'enter';
  if (call) return call.acting ? 'action' : 'guard';
  if (own) return 'arc';
  if (frame) return outcome ? 'outcome' : event ? 'wait' : 'task';
  return token ? 'admit' : run ? 'loop' : 'start';
}
