/**
 * The declaration of a tool kind: the common contract of built-in kinds (`src/language/kinds/table/<kind>.ts`) and
 * extensions (src/api/extension). Data and pure functions only, because the compiler, rehearsals, the facade, the
 * engine and the workers read it, even inside Temporal's sandbox. The implementation is in its `run.ts`.
 */
import { type Json, type JsonObject } from '../plan/json';
import { type ErrorKind, type Outcome } from '../plan/outcome';
import { type Lineage } from './lineage';

/** Types of scalar values. */
export type PlainType =
  /** Any scalar except null. */
  | 'text'
  /** A non-empty text without templates. */
  | 'name'
  | 'boolean'
  /** A number, or a template for one. */
  | 'amount'
  /** Seconds, a duration (`1h30m`, or ISO 8601), or a template for one. */
  | 'duration'
  /** A duration above 0. */
  | 'limit'
  /** An integer of at least 1, or a template for one. */
  | 'count'
  /** A boolean, or a text that is a template. */
  | 'condition'
  /** A boolean, or a template for one. */
  | 'flag'
  /** A text that is a template for a value of another type. */
  | 'template'
  | 'any'
  | 'mapping';

/** The type of a tool's field. */
export type FieldType =
  | PlainType
  | { readonly values: readonly string[] }
  /** One of these words in any case, or a template. */
  | { readonly words: readonly string[] }
  | { readonly shape: () => FieldShape }
  | { readonly list: FieldType }
  /** The alternatives differ by the kind of node: scalar, list or mapping. */
  | { readonly either: readonly FieldType[] };

/** A field that is a mapping. */
export interface FieldShape {
  /** With an article: `a copy`. */
  readonly title: string;
  readonly fields: Readonly<
    Record<string, { readonly type: FieldType; readonly doc: string; readonly required?: true }>
  >;
  /** How unlisted keys are treated: `error`; `warning` (no effect); `open` (data). */
  readonly others: 'error' | 'warning' | 'open';
  /** Names of keys in other products. */
  readonly words?: Readonly<Record<string, string>>;
}

/** The compiler's knowledge of a tool kind. */
export interface ToolKind {
  /** One sentence, shown by editors and the reference. */
  readonly doc: string;
  /** It is another name of this kind. */
  readonly sameAs?: string;
  /** Its fields, with a description of each. */
  readonly fields: Readonly<Record<string, string>>;
  /**
   * Types of fields that are not implied by their names (`timeout`, `url`, `table`, … mean the same in all kinds).
   */
  readonly types?: Readonly<Record<string, FieldType>>;
  /** Groups of fields of which one each is required. */
  readonly required: readonly (readonly string[])[];
  /** Synonyms: at most one field of each group may be used. */
  readonly exclusive?: readonly (readonly string[])[];
  /** Fields in which an undefined value is an error instead of an empty string. */
  readonly strict?: readonly string[];
  /** Fields that contain SQL: interpolated data causes a warning. */
  readonly sql?: readonly string[];
  /** Fields whose text is visible to others while it runs: in process lists, or in a pod's specification. */
  readonly command?: readonly string[];
  /** Fields that a shell parses, of built-in kinds: each text of a list, or only what follows its `-c`. */
  readonly shell?: Readonly<Record<string, 'each' | 'flag'>>;
  /** Fields that contain program code, rendered only if they are meant as templates. */
  readonly code?: readonly string[];
  /** Fields that are mappings of strings, like `headers` and `env` in all kinds. */
  readonly texts?: readonly string[];
  /** Why its results are of no use to another execution, as the end of a sentence that begins with the kind. */
  readonly uncached?: string;
  /**
   * It runs what authors write, in the sandbox of `spec.sandbox`. `onlyIfAsked`: workers with secrets do not require one of
   * themselves.
   */
  readonly sandbox?: { readonly onlyIfAsked?: true };
  /** The field that lists modules of its language; a list of distributions is an old spelling. */
  readonly modules?: string;
  /** Its code may use `context`, all variables of the run. */
  readonly readsContext?: true;
  /**
   * `table`: with a table and no `data`, it stores its inputs as rows; `body`: as a sink, its inputs are the body.
   */
  readonly stores?: 'table' | 'body';
  /** Fields of a harmless call that needs a login: tests a credential. `{{ workload.url }}` is what is asked. */
  readonly probe?: Readonly<Record<string, string | number>>;
  /** Without `auth` every task of the kind fails: there is no default credential in the worker. */
  readonly needsCredential?: true;
  /** Fields that contain a nested tool, `{kind, auth, …}`: the first is read, the others are written. */
  readonly sides?: readonly string[];
  /** Other names of kinds in `sides`. */
  readonly sideKinds?: Readonly<Record<string, string>>;
  /** What reads its inputs besides the tool itself: only templates in its fields, or names in its code too. */
  readonly inputs?: 'templates' | 'code';
  /** The required field that a task's `name` provides in older playbooks, if nothing else does. */
  readonly named?: string;
  /** Unlisted fields cause a warning. */
  readonly closed?: true;
  /** Defaults of the effective spec, with the lowest precedence, in seconds. */
  readonly spec?: { readonly timeout?: Readonly<Partial<Record<'connect' | 'read' | 'total', number>>> };
  /** Concurrent tasks in one worker; default 32, with `processes` a number that fits the machine. */
  readonly concurrency?: number;
  /** Each task is a process of its own, which computes. */
  readonly processes?: true;
  /** The field of its result that authors mean by "the data", and an alias for it in the plain result. */
  readonly payload?: Payload;
  /** Credential types used by this kind only. */
  readonly credentials?: readonly CredentialType[];
  /** The short form of its results in rehearsals. */
  readonly mock?: KindMock;
  /** Its outcomes have the response of a server, `http`; unless its `method` is GET or HEAD, something changes there. */
  readonly respondsOverHttp?: true;
  /** The data that its tasks read and write; absent: unknown. */
  readonly lineage?: Lineage;
  /** Typical failures, as `error` in rehearsals: simulations draw from them. Default: one of the mock's `failure`. */
  readonly failures?: readonly JsonObject[];
  /** Hints for its failures by code, one sentence each; the first match applies. */
  readonly hints?: readonly (readonly [code: RegExp, hint: string])[];
  /** For an extension: seconds without heartbeats after which its worker counts as lost; 0: no heartbeats. */
  readonly heartbeat?: number;
}

/** The location of the data in a result, and its alias: `{field: 'rows'}`. */
export interface Payload {
  readonly field: string;
  readonly also?: string;
}

/** The short form of a kind's results in rehearsals. A kind without one may return any value. */
export interface KindMock {
  /** Keys of the short form; a mapping with one of them is parsed as short form. */
  readonly words: Readonly<Record<string, string>>;
  /** The minimal result of the tool, in short form. */
  readonly least: JsonObject;
  /** The default error kind of its failures; `exception` if absent. */
  readonly failure?: ErrorKind;
  /** What is wrong with the value of a key, as `… is a number`. */
  readonly wrong: (word: string, value: Json) => string | undefined;
  /** A plain value as short form; undefined if the tool cannot return it. */
  readonly bare: (value: Json) => JsonObject | undefined;
  /**
   * @param about the task's fields, its duration in milliseconds, and a function that makes an outcome from an
   * error
   */
  readonly outcome: (words: JsonObject, about: MockedCall) => Outcome;
}

export interface MockedCall {
  readonly config: JsonObject;
  readonly ms: number;
  /** The complete outcome of a failed task: `{status: 503}`, `{sqlstate: "40P01"}`. */
  readonly fail: (error: JsonObject, result?: Json) => Outcome;
}

/** Spellings of a credential's field; the first is used in messages. */
export type CredentialField = readonly [string, ...string[]];

/** A type of credential used by a kind. */
export interface CredentialType {
  /** Lower case, `_` for `-` and blanks. */
  readonly names: readonly [string, ...string[]];
  /** Alternative sets of required fields; the first is the usual one. */
  readonly forms: readonly [readonly CredentialField[], ...(readonly CredentialField[])[]];
}

/** Everything known about a kind without running it. */
export interface KindDeclaration extends ToolKind {
  /** Timeout of a task in seconds unless the playbook sets one. */
  readonly timeout: number;
  /** Fields of the result that are kept in history only if something reads them. */
  readonly details?: readonly string[];
  /** Packages loaded by its first task; missing from an installation without optional dependencies. */
  readonly packages?: readonly string[];
  /** How often its effect happens if its worker is killed (docs/guarantees.md). */
  readonly delivery: 'reads only' | { readonly killed: string; readonly atMostOnce?: string };
}
