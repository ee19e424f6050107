import { type JsonObject } from '../../../../src/language/plan';

/** A fault of the task rather than of a statement: an invalid input. */
export class Refused extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly more: JsonObject = {},
  ) {
    super(message);
  }
}
