/** What the compiler knows of one kind of tool. */
export interface ToolKind {
  readonly doc: string;
  readonly fields: Readonly<Record<string, string>>;
  /** Groups of which one field each must be present. */
  readonly required: readonly (readonly string[])[];
  /** Spellings of one thing: at most one field of each group. */
  readonly exclusive?: readonly (readonly string[])[];
  /** Fields in which an undefined value is an error. */
  readonly strict?: readonly string[];
  /** Fields whose text is SQL: data spliced into them is worth a warning. */
  readonly sql?: readonly string[];
  /** Fields whose text others see while it runs: lists of processes, the specification of a pod. */
  readonly command?: readonly string[];
  /** Fields whose text is a program, rendered only when it is meant as a template. */
  readonly code?: readonly string[];
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
  /** Of an extension: seconds of silence after which its worker counts as lost; 0: it sends no heartbeats. */
  readonly heartbeat?: number;
}

export const AUTH = {
  auth: 'Name of a credential, or a mapping that describes one.',
  credential: 'The same as `auth`.',
};
