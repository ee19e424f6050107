/** What passes between the facade and its threads. */
export interface Asked {
  readonly name: string;
  readonly input: unknown;
}

export type Told =
  | { readonly done: unknown }
  /** A FacadeError, which passes as data only. */
  | { readonly refused: { status: number; code: string; message: string; more: Record<string, unknown> } }
  /** What nobody foresaw. */
  | { readonly crashed: unknown };
