/**
 * A value that exists only during look-up: attribute access goes through `get`, every other use (passing, iterating,
 * comparing, `length`, `tojson`, text) takes `plain`.
 */
export abstract class View {
  /** The attribute or item `key`, `undefined` where there is none. May return another view. */
  abstract get(key: string | number): unknown;
  /** The plain JSON value that leaves the expression. */
  abstract plain(): unknown;
  /**
   * Optional: decides `==` and `in` against another value instead of the plain value (an event goes by several
   * names).
   */
  equals?(other: unknown): boolean;
  /** Optional: what it is where text is wanted, instead of the text of the plain value. */
  text?(): string;
}
