/** Messages between the editor and the compiler's worker. */
import { type Diagnostic, type InputField } from '../../src/language/dsl';
import { type Graph } from '../../src/language/dsl/graph';
import { type Completions, type HoverText, type KnownNames, type TextChange } from '../../src/service';

/** Which of the two texts a question is about. */
export type EditedText = 'playbook' | 'rehearsals';

/** A place in a text that may have changed since the last question: offsets in UTF-16 units. */
export interface TextPlace {
  readonly of: EditedText;
  readonly text: string;
  readonly offset: number;
}

/** What a renaming changes, or why it cannot be. */
export type RenamedDraft =
  | { readonly edits: readonly TextChange[]; readonly rehearsals: string }
  | { readonly problem: string };

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

/** What the worker answers. */
export interface CompilerAnswers {
  compile(text: string): CompiledDraft;
  /** The problems of rehearsals of a playbook; their mocks tell what its tasks answer. */
  check(text: string, rehearsals: string): readonly Diagnostic[];
  rehearse(text: string, rehearsals: string): RehearsedDraft;
  complete(place: TextPlace): Completions;
  hover(place: TextPlace): HoverText | undefined;
  /** In the rehearsals, too. */
  rename(place: TextPlace, name: string, rehearsals: string): RenamedDraft;
  /** Of the playbook, as fields of a form. */
  inputs(text: string): readonly InputField[];
  /** Names of the catalog and of credentials, for completion. */
  know(names: KnownNames): void;
}

/** The id of a worker's first message: it is there, and answers from now on. */
export const LOADED = 0;

export interface CompileAsk {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

export type CompileTold =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly problem: string };
