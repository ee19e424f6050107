/**
 * A value that exists only during look-up: attribute access uses `get`, every other use (passing, iterating,
 * comparing, `length`, `tojson`, text) takes `plain`.
 */
export abstract class View {
  /** The attribute or item `key`, `undefined` if missing. May return another view. */
  abstract get(key: string | number): unknown;
  /** The plain JSON value at the end of the expression. */
  abstract plain(): unknown;
  /** Optional: implements `==` and `in` instead of comparing the plain value (an event has several names). */
  equals?(other: unknown): boolean;
  /** Optional: the value for conversion to text, instead of the plain value. */
  text?(): string;
}
