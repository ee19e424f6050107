/** Messages between the editor and the compiler's worker. */
import { type Diagnostic } from '../../src/language/dsl';
import { type Graph } from '../../src/language/dsl/graph';

export type CompileAsk =
  | { readonly type: 'compile'; readonly id: number; readonly text: string }
  | { readonly type: 'rehearse'; readonly id: number; readonly text: string; readonly rehearsals: string }
  | { readonly type: 'words'; readonly id: number };

/** Completions, each with its description. */
export interface CompletionWords {
  /** Keys of mappings, wherever they are allowed. */
  readonly keys: readonly (readonly [name: string, doc: string])[];
  readonly kinds: readonly (readonly [name: string, doc: string])[];
}

export interface CompiledDraft {
  readonly diagnostics: readonly Diagnostic[];
  /** Absent where there are errors. */
  readonly graph?: Graph;
  readonly path?: string;
}

export interface RehearsedDraft {
  /** Of the rehearsal file. */
  readonly diagnostics: readonly Diagnostic[];
  readonly results: readonly { readonly name: string; readonly ok: boolean; readonly difference: string }[];
}

export type CompileTold =
  | ({ readonly type: 'compiled'; readonly id: number } & CompiledDraft)
  | ({ readonly type: 'rehearsed'; readonly id: number } & RehearsedDraft)
  | ({ readonly type: 'words'; readonly id: number } & CompletionWords)
  | { readonly type: 'failed'; readonly id: number; readonly message: string };
