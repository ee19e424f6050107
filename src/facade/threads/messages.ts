/** Messages between the facade and its threads. */
export interface ThreadRequest {
  readonly name: string;
  readonly input: unknown;
}

export type ThreadReply =
  | { readonly done: unknown }
  /** A FacadeError as data, because class instances cannot be passed. */
  | { readonly refused: { status: number; code: string; message: string; more: Record<string, unknown> } }
  /** An unexpected error. */
  | { readonly crashed: unknown };
