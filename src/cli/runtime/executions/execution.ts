/** What commands ask of an execution, the same of Temporal itself and of a facade. */
import { type Named } from '../named';
import { type LogLine } from '../../../logs';
import { type CanonicalEvent, type Divergence, type Explanation, type Standing } from '../../../history';
import { type EventAnswer, type ExternalEventSent, type Verb } from '../../../temporal';

export interface EventsAsked {
  /** Goes on with what a running execution does, until it ends. */
  readonly follow?: boolean;
  /** Values above the plan's limit whole, not references to them. */
  readonly bodies?: boolean;
  /** Ends the reading. */
  readonly signal: AbortSignal;
}

export type LinesAsked = Pick<EventsAsked, 'follow' | 'signal'>;

/**
 * Everything throws UsageError where there is no such execution or it refuses, and EnvironmentError for what is wrong
 * around us: `EXECUTION_OVER`, `WORKER_SILENT`, `TEMPORAL_…`, `FACADE_…`.
 */
export interface RemoteExecution extends Named {
  status(): Promise<Standing>;
  steer(verb: Verb, reason: string | undefined): Promise<void>;
  /** Also what it started without waiting. @returns the execution ids of all whom it reaches, its own first */
  cancelFamily(reason: string | undefined): Promise<readonly string[]>;
  /** Undefined: it is with the server, and no worker has said yet what becomes of it. */
  send(event: ExternalEventSent): Promise<EventAnswer | undefined>;
  /** @returns the names that were set */
  setVariables(variables: Readonly<Record<string, unknown>>): Promise<readonly string[]>;
  /** @returns the names that were asked for */
  deleteVariables(names: readonly string[]): Promise<readonly string[]>;
  /** What its tasks print, in order of its being stored; nothing where nobody stores it. */
  lines(asked: LinesAsked): AsyncIterable<readonly LogLine[]>;
  /** Oldest first. */
  events(asked: EventsAsked): AsyncIterable<readonly CanonicalEvent[]>;
  /** Why it did what it did, with the lines of its playbook where they are at hand. */
  explanation(): Promise<Explanation>;
  /** The state when the event of that position was told. @throws UsageError when there is none */
  stateAt(seq: number): Promise<object>;
  /** Where this release diverges from the history that `events` read. */
  divergence(): Divergence | undefined;
}
