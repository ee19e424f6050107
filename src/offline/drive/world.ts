/** Everything outside the engine, as a driver in simulated time sees it. */
import { type Command, type Input } from '../../engine/machine';
import { type Outcome, type TaskCall } from '../../language/plan';
import { type Happening, type Mark } from './happenings';

/** The outcome of a task call, and after how many simulated milliseconds. */
export interface WorldAnswer {
  readonly outcome: Outcome;
  readonly after: number;
  /** The world's own note about this event; passed back to `World.next`. */
  readonly mark?: Mark;
  /** For a sub-playbook that is not waited for: what its start reports. */
  readonly started?: { readonly version?: string; readonly digest: string };
}

/** What follows a request to the keeper of a limit. */
export interface LimitAnswers {
  /** Undefined: it is not known whether the request arrived. */
  readonly delivered: WorldAnswer | undefined;
  readonly answers: readonly Happening[];
}

/** What the driver waits for besides calls. */
export type Awaited =
  /** `deadline` in milliseconds since the epoch. */
  | { readonly type: 'timer'; readonly key: string; readonly deadline: number }
  /** A chunk of a distributed loop, by its id: `fetch#1[0..99]`. */
  | { readonly type: 'chunkStart' | 'chunkEnd'; readonly chunk: string }
  /** The first batch after continue-as-new. */
  | { readonly type: 'continued' };

export interface Due {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly mark?: Mark;
  /** Of a chunk: it ended because it was cancelled. */
  readonly isCancelled?: boolean;
}

/** What happens next: one batch of the engine. */
export interface Next {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The scheduled events that belong to this batch. */
  readonly happenings: readonly Happening[];
  /** All inputs of the batch, in order. */
  readonly inputs: readonly Input[];
  /** Whether Temporal suggests continue-as-new with this batch. */
  readonly continueAsNewSuggested?: boolean;
}

/** Times are in milliseconds since the epoch. Only `answer` is required. */
export interface World {
  /** @returns undefined if there is no answer: the simulation stops there, unless the call may stay open */
  answer(call: TaskCall, at: number): WorldAnswer | undefined;
  /** The check of the keychain; by default every entry resolves. */
  keychain?(call: TaskCall, at: number): WorldAnswer | undefined;
  /** The answer to a request to the keeper of a limit; by default, and without one, `Keepers` answer. */
  limit?(call: TaskCall, at: number): LimitAnswers | undefined;
  /** The end of a call that the engine cancels; by default cancelled at once. */
  cancelled?(call: TaskCall, at: number): WorldAnswer;
  /** When it occurs; undefined: never. By default, timers fire at their deadline and everything else occurs at once. */
  due?(awaited: Awaited, at: number): Due | undefined;
  /**
   * The next batch, including what the world itself adds (messages); undefined: there is none. By default, the earliest
   * scheduled event, alone.
   */
  next?(happenings: readonly Happening[], at: number): Next | undefined;
  /** The same world, for the machine of a chunk. */
  within?(chunk: string): World;
}

export type WorldFailure = Extract<Command, { type: 'fail' }>['error'];
