/** The contract of a source of messages (README.md tells how one is made). */
import { type JsonObject, type TriggerMessage } from '../../language/plan';

/** A message as it came. */
export interface SourceMessage extends Pick<TriggerMessage, 'headers' | 'attributes' | 'metadata'> {
  /**
   * The same whenever this message is delivered, and no other message's: the default of its key. Names of headers are in
   * lower case.
   */
  readonly id: string;
  readonly bytes: Uint8Array;
  /** Of a request: a second key, because its id may be one that nobody signed. */
  readonly signature?: string;
}

export interface OpenSource {
  /**
   * The next messages, at most so many; waits for the first of them so long, or until the signal of `open` is aborted. All
   * of them are settled before the next take. @throws if the source is away: it is closed, and opened again later
   */
  take(most: number, waitMs: number): Promise<readonly SourceMessage[]>;
  /**
   * What was taken. @param done their executions exist, or they were left out, or are dead letters: they are never delivered
   * again @param back not now: they are delivered again, later
   */
  settle(done: readonly SourceMessage[], back: readonly SourceMessage[]): Promise<void>;
  /** How many messages wait; undefined where it is not known. */
  lag?(): Promise<number | undefined>;
  /** What is not settled is delivered again, here or elsewhere. */
  close(): Promise<void>;
}

/** What a source is opened with. */
export interface SourceConnection {
  /** Of the trigger. */
  readonly id: string;
  /** Path of the subscription. */
  readonly path: string;
  /** The keys of `spec` that are the source's own, with the values that were written. */
  readonly spec: JsonObject;
  /** Data of the credential of `auth`, or `{}`. */
  readonly credential: { readonly name: string; readonly type?: string; readonly data: JsonObject };
  /** Of the tables of this project. */
  readonly databaseUrl: string;
  /** The result of an execution that has ended; undefined if there is none. */
  readonly resultOf: (executionId: string) => Promise<unknown>;
}

export interface Source {
  /** The value of `spec.source`; what it is configured with stands in src/language/dsl/subscription/sources.ts. */
  readonly name: string;
  /**
   * Whether several processes, and several takers of one, may have it open at the same time: none is given what another
   * holds. Otherwise one taker of one process has it.
   */
  readonly shared: boolean;
  /**
   * Whether it keeps what is in hand from others for as long as it takes. Then nothing is given back while something else
   * is away: brokers count deliveries, and give up messages that come back too often.
   */
  readonly holds?: true;
  /** @throws if the source is away, or refuses: told as the trigger's trouble, and tried again */
  open(connection: SourceConnection, signal: AbortSignal): Promise<OpenSource>;
}
