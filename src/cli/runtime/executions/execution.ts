/** Operations on an execution, the same for Temporal and for a facade. */
import { type Named } from '../named';
import { type LogLine } from '../../../telemetry/logs';
import {
  type CanonicalEvent,
  type Divergence,
  type ExplainOptions,
  type Explanation,
  type ExecutionStanding,
} from '../../../history';
import {
  type EventFate,
  type ExternalEventSent,
  type UnservedQueue,
  type Verb,
  type WorkflowTaskTrouble,
} from '../../../temporal/client';

export interface EventsAsked {
  /** Continues with a running execution until it ends. */
  readonly follow?: boolean;
  /** Values above the plan's limit in full instead of references. */
  readonly bodies?: boolean;
  /** Stops reading. */
  readonly signal: AbortSignal;
}

/** Of a step only, the last one up to an event, or a page of those after one. */
export type ExplanationRequest = Pick<ExplainOptions, 'step' | 'at' | 'after'>;

export type LinesAsked = Pick<EventsAsked, 'follow' | 'signal'>;

/** What a history does not have: queues without workers, in which tasks wait now. */
interface Now {
  readonly unserved: readonly UnservedQueue[];
}
export type StandingNow = ExecutionStanding & Now;
export type ExplanationNow = Explanation & Now;

/**
 * All methods throw UsageError if there is no such execution or it refuses, and EnvironmentError for problems of
 * the environment: `EXECUTION_OVER`, `WORKER_SILENT`, `TEMPORAL_…`, `FACADE_…`.
 */
export interface RemoteExecution extends Named {
  status(): Promise<StandingNow>;
  /** Why no worker continues it, if it is so. */
  trouble(): Promise<WorkflowTaskTrouble | undefined>;
  steer(verb: Verb, reason: string | undefined): Promise<void>;
  /** Also cancels detached children. @returns the execution ids of all affected executions, its own first */
  cancelFamily(reason: string | undefined): Promise<readonly string[]>;
  /** Cancels, and terminates what does not end. @returns the execution ids of all affected executions */
  forceFamily(request: { reason: string | undefined; cascade: boolean }): Promise<readonly string[]>;
  /** `sent`: the server has it, but no worker has processed it yet. */
  send(event: ExternalEventSent): Promise<EventFate>;
  /** @returns the names that were set */
  setVariables(variables: Readonly<Record<string, unknown>>): Promise<readonly string[]>;
  /** @returns the requested names */
  deleteVariables(names: readonly string[]): Promise<readonly string[]>;
  /** Output of its tasks, in the order of storage; empty without log storage. */
  lines(request: LinesAsked): AsyncIterable<readonly LogLine[]>;
  /** Oldest first. */
  events(request: EventsAsked): AsyncIterable<readonly CanonicalEvent[]>;
  /** Why it did what it did, with the lines of its playbook if available. */
  explanation(about: ExplanationRequest): Promise<ExplanationNow>;
  /** The state after the event of that position. @throws UsageError if there is none */
  stateAt(seq: number): Promise<object>;
  /** Where this release diverges from the history read by `events`. */
  divergence(): Divergence | undefined;
}
