/** Messages between a page and the worker that reads histories. */
import { type CanonicalEvent, type ExplainedDecision } from '../../src/history';
import { type Item } from '../../src/history/reader';
import { type Graph } from '../../src/language/dsl/graph';
import { type Plan } from '../../src/language/plan';

/** What to read: the first message to the worker. */
export type ReadingSource =
  | { readonly execution: string }
  | { readonly files: readonly Blob[] }
  /** A run without a history: a simulated one. */
  | { readonly items: readonly Item[] };

export type ReaderRequest =
  | { readonly type: 'open'; readonly source: ReadingSource }
  /** Requests the decisions so far; `lines` of the playbook, if known. */
  | { readonly type: 'explain'; readonly lines: readonly string[] }
  | MomentRequest;

/** How did the run stand after the event at this position? */
export interface MomentRequest {
  readonly type: 'moment';
  readonly seq: number;
  /** Takes the answer, a moment; undefined: there is no such event yet. */
  readonly port: MessagePort;
}

export type ReaderMessage =
  | {
      readonly type: 'events';
      /** With the first events of a reading, which may be another one: what was told before is no longer valid. */
      readonly begins?: { readonly plan: Plan; readonly graph: Graph };
      readonly events: readonly CanonicalEvent[];
      /** Number of events of iterations left out so far. */
      readonly leftOut: number;
    }
  /** Backlog delivered; what follows is live, or the run has ended. */
  | { readonly type: 'caughtUp'; readonly over: boolean; readonly divergence?: string }
  /** The run is too long for the page: the events sent so far are its beginning, and no more follow. */
  | { readonly type: 'long' }
  | { readonly type: 'connection'; readonly lost: boolean }
  | { readonly type: 'decisions'; readonly decisions: readonly ExplainedDecision[] }
  | { readonly type: 'failed'; readonly code: string; readonly message: string };
