/** What a page and the worker that reads histories say to each other. */
import { type CanonicalEvent, type ExplainedDecision } from '../../src/history';
import { type Graph } from '../../src/language/dsl/graph';
import { type Plan } from '../../src/language/plan';

/** To the worker, first: what to read. */
export type ReadingSource = { readonly execution: string } | { readonly files: readonly Blob[] };

export type ReaderRequest =
  | { readonly type: 'open'; readonly source: ReadingSource }
  /** The decisions so far; `lines` of the playbook, where they are at hand. */
  | { readonly type: 'explain'; readonly lines: readonly string[] }
  /** The variables after the event at this position. */
  | { readonly type: 'variables'; readonly seq: number };

export type ReaderMessage =
  | { readonly type: 'begun'; readonly plan: Plan; readonly graph: Graph }
  | {
      readonly type: 'events';
      readonly events: readonly CanonicalEvent[];
      /** How many events of iterations were left out so far. */
      readonly leftOut: number;
    }
  /** Everything that there is so far was told; from here on it is live, or over. */
  | { readonly type: 'caughtUp'; readonly over: boolean; readonly divergence?: string }
  /** The run is too long to be held: what was told so far is its beginning, and no more is. */
  | { readonly type: 'long' }
  /** The history is read anew: what was told is void. */
  | { readonly type: 'again' }
  | { readonly type: 'connection'; readonly lost: boolean }
  | { readonly type: 'decisions'; readonly decisions: readonly ExplainedDecision[] }
  | { readonly type: 'variables'; readonly seq: number; readonly values: Readonly<Record<string, unknown>> }
  | { readonly type: 'failed'; readonly code: string; readonly message: string };
