/** Everything outside the engine, as a driver in simulated time sees it. */
import { type Command, type Input } from '../../engine/machine';
import { type Outcome, type TaskCall } from '../../language/plan';
import { type Happening, type Mark } from './happenings';

/** The outcome of a task call, and after how many simulated milliseconds. */
export interface WorldAnswer {
  readonly outcome: Outcome;
  readonly after: number;
  /** The world's own note about this happening; handed back to `World.next`. */
  readonly mark?: Mark;
  /** For a sub-playbook that is not waited for: what its start reports. */
  readonly started?: { readonly version?: string; readonly digest: string };
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
  /** Of a chunk: this end is that of its cancellation. */
  readonly isCancelled?: boolean;
}

/** What happens next: one batch of the engine. */
export interface Next {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Those of the announced happenings that come with this batch. */
  readonly happenings: readonly Happening[];
  /** All inputs of the batch, in order. */
  readonly inputs: readonly Input[];
  /** Temporal asks for a fresh history with this batch. */
  readonly continueAsNewSuggested?: boolean;
}

/** Times are in milliseconds since the epoch. Only `answer` is required. */
export interface World {
  /** @returns undefined if there is no answer: the simulation stops there, unless the call may stay open */
  answer(call: TaskCall, at: number): WorldAnswer | undefined;
  /** The check of the keychain; by default every entry resolves. */
  keychain?(call: TaskCall, at: number): WorldAnswer | undefined;
  /** The end of a call that the engine cancels; by default cancelled at once. */
  cancelled?(call: TaskCall, at: number): WorldAnswer;
  /** When it comes; undefined: never. By default timers at their deadline, everything else at once. */
  due?(awaited: Awaited, at: number): Due | undefined;
  /**
   * What comes next, and what the world adds of its own (messages); undefined: nothing. By default the earliest
   * happening, alone.
   */
  next?(happenings: readonly Happening[], at: number): Next | undefined;
  /** The same world, for the machine of a chunk. */
  within?(chunk: string): World;
}

export type WorldFailure = Extract<Command, { type: 'fail' }>['error'];
