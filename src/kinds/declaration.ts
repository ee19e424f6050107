/**
 * What a kind of tool says of itself: the one contract of built-in kinds (`activities/kinds/<kind>/kind.ts`) and of
 * extensions (src/extension). Data and pure functions only: the compiler, the rehearsals, the facade, the engine and the
 * workers all read it, also inside of Temporal's sandbox. What a kind does is in its `run.ts`.
 */
import { type Json, type JsonObject } from '../plan/json';
import { type ErrorKind, type Outcome } from '../plan/outcome';

/** Types of values that have no parts. */
export type PlainType =
  /** Any scalar but nothing. */
  | 'text'
  /** A non-empty text without templates. */
  | 'name'
  | 'boolean'
  /** A number, or a template that gives one. */
  | 'amount'
  /** Seconds, a duration (`1h30m`, or ISO 8601), or a template that gives one. */
  | 'duration'
  /** A whole number, at least 1, or a template that gives one. */
  | 'count'
  /** A boolean, or a text that is a template. */
  | 'condition'
  /** A boolean, or a template that gives one. */
  | 'flag'
  /** A text that is a template: it gives a value of another type. */
  | 'template'
  | 'any'
  | 'mapping';

/** What a field of a tool may hold. */
export type FieldType =
  | PlainType
  | { readonly values: readonly string[] }
  /** One of these in any case, or a template. */
  | { readonly words: readonly string[] }
  | { readonly shape: () => FieldShape }
  | { readonly list: FieldType }
  /** The alternatives differ by the kind of node: scalar, list or mapping. */
  | { readonly either: readonly FieldType[] };

/** A field that is a mapping. */
export interface FieldShape {
  /** With its article: `a copy`. */
  readonly title: string;
  readonly fields: Readonly<
    Record<string, { readonly type: FieldType; readonly doc: string; readonly required?: true }>
  >;
  /** What an unlisted key is: `error`; `warning` (it has no effect); `open` (it is data). */
  readonly others: 'error' | 'warning' | 'open';
  /** What other products call a key. */
  readonly words?: Readonly<Record<string, string>>;
}

/** What the compiler knows of one kind of tool. */
export interface ToolKind {
  /** One sentence: editors and the reference show it. */
  readonly doc: string;
  /** The fields it takes, and what each is. */
  readonly fields: Readonly<Record<string, string>>;
  /** What fields hold, where their names do not say it (`timeout`, `url`, `table`, … mean one thing in all kinds). */
  readonly types?: Readonly<Record<string, FieldType>>;
  /** Groups of which one field each must be present. */
  readonly required: readonly (readonly string[])[];
  /** Spellings of one thing: at most one field of each group. */
  readonly exclusive?: readonly (readonly string[])[];
  /** Fields in which an undefined value is an error instead of an empty text. */
  readonly strict?: readonly string[];
  /** Fields whose text is SQL: data spliced into them is worth a warning. */
  readonly sql?: readonly string[];
  /** Fields whose text others see while it runs: lists of processes, the specification of a pod. */
  readonly command?: readonly string[];
  /** Fields whose text is a program, rendered only when it is meant as a template. */
  readonly code?: readonly string[];
  /** Fields that are mappings of texts, as `headers` and `env` are everywhere. */
  readonly texts?: readonly string[];
  /** The field that names modules of its language; a list of distributions there is an old spelling. */
  readonly modules?: string;
  /** Its code may ask for `context`, all variables of the run. */
  readonly readsContext?: true;
  /** `table`: given one and no `data`, it stores its inputs as rows; `body`: as a sink, its inputs are the body. */
  readonly stores?: 'table' | 'body';
  /** Without `auth` every task of the kind fails: no credential of the worker stands in. */
  readonly needsCredential?: true;
  /** Fields that hold a tool of their own, `{kind, auth, …}`. */
  readonly sides?: readonly string[];
  /** Who reads its inputs besides the tool as a whole: the templates of its fields only, or names in its code too. */
  readonly inputs?: 'templates' | 'code';
  /** The required field that `name` of the task stands for, in older playbooks, where nothing else says it. */
  readonly named?: string;
  /** Unlisted fields are worth a warning. */
  readonly closed?: true;
  /** The lowest layer of the effective spec, in seconds. */
  readonly spec?: { readonly timeout?: Readonly<Partial<Record<'connect' | 'read' | 'total', number>>> };
  /** Tasks at once in one worker; 32 unless given. */
  readonly concurrency?: number;
  /** The field of its result that authors mean by "the data", and a second name under which the plain result has it. */
  readonly payload?: Payload;
  /** The types of credentials that only it brings with it. */
  readonly credentials?: readonly CredentialType[];
  /** How rehearsals write its results short. */
  readonly mock?: Mock;
  /** What to do about its failures, by their code: each a sentence, the first that matches holds. */
  readonly hints?: readonly (readonly [code: RegExp, hint: string])[];
  /** Of an extension: seconds of silence after which its worker counts as lost; 0: it sends no heartbeats. */
  readonly heartbeat?: number;
}

/** Where a result has the data, and what else it is called: `{field: 'rows'}`. */
export interface Payload {
  readonly field: string;
  readonly also?: string;
}

/** How the results of a kind are written short in rehearsals. A kind without one answers any value. */
export interface Mock {
  /** Keys of the short form; a mapping with one of them is read as one. */
  readonly words: Readonly<Record<string, string>>;
  /** The least that the tool answers, in those words. */
  readonly least: JsonObject;
  /** The kind that its failures have when nothing says more; `exception` unless given. */
  readonly failure?: ErrorKind;
  /** What is wrong with the value of a word, as `… is a number`. */
  readonly wrong: (word: string, value: Json) => string | undefined;
  /** A value without words, as words; undefined when the tool cannot answer it. */
  readonly bare: (value: Json) => JsonObject | undefined;
  /** @param about the fields of the task, how many milliseconds it took, and what makes an outcome of an error */
  readonly outcome: (words: JsonObject, about: MockedCall) => Outcome;
}

export interface MockedCall {
  readonly config: JsonObject;
  readonly ms: number;
  /** The outcome of a task that failed, made whole: `{status: 503}`, `{sqlstate: "40P01"}`. */
  readonly fail: (error: JsonObject, result?: Json) => Outcome;
}

/** Spellings of one field of a credential; the first is the one to name. */
export type CredentialField = readonly [string, ...string[]];

/** A type of credentials that a kind logs in with. */
export interface CredentialType {
  /** Lower case, `_` for `-` and blanks. */
  readonly names: readonly [string, ...string[]];
  /** Sets of fields, each enough by itself; the first is the usual one. */
  readonly forms: readonly [readonly CredentialField[], ...(readonly CredentialField[])[]];
}

/** What there is to know of a kind without running it. */
export interface KindDeclaration extends ToolKind {
  /** Seconds one task may run unless the playbook says otherwise. */
  readonly timeout: number;
  /** Fields of the result that history keeps only where something reads them. */
  readonly details?: readonly string[];
  /** Packages it loads when its first task comes; an install without optional dependencies lacks them. */
  readonly packages?: readonly string[];
}
