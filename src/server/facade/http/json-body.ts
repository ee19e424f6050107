/**
 * JSON in UTF-8, limited in depth, number of values and number of different names, so that one body costs the event
 * loop, which all callers share, some tens of milliseconds at most.
 */
import { type DigitsLost, parseJson } from '../../../language/plan/json-text';
import { NumberTooLarge } from '../../../language/template/values/digits';
import { FacadeError } from './errors';

/** As deep as templates (src/language/template): recursive functions over values have enough stack. */
const MAX_DEPTH = 200;
/** 25,000 rows of ten columns. */
const MAX_VALUES = 250_000;
/** Every different name costs as much as twenty values: to store it, to look it up, and to check it. */
const MAX_NAMES = 25_000;

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_MAPPING, CLOSE_MAPPING] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * @throws FacadeError 400 `ENTITY_PARSE_FAILED`; 413 `BODY_TOO_MANY_VALUES`, `BODY_TOO_MANY_NAMES`; 422
 * `BODY_TOO_DEEP`, `NUMBER_TOO_LARGE`
 */
export function parseBody(bytes: Uint8Array, digitsLost?: DigitsLost): unknown {
  checkBodyShape(bytes);
  const value = parsed(new TextDecoder().decode(bytes), digitsLost);
  checkMemberNames(value);
  return value;
}

function parsed(text: string, digitsLost: DigitsLost | undefined): object {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = parseJson(text, digitsLost);
  } catch (error) {
    if (error instanceof NumberTooLarge) throw new FacadeError(422, error.code, error.message);
    // The parser's own message quotes the body, which may contain a secret.
    throw invalid();
  }
  if (typeof value !== 'object' || value === null) throw invalid();
  return value;
}

function invalid(): FacadeError {
  return new FacadeError(400, 'ENTITY_PARSE_FAILED', 'the body is not valid JSON');
}

/** Counts brackets and commas outside of strings before parsing. @throws FacadeError */
export function checkBodyShape(bytes: Uint8Array): void {
  let depth = 0;
  let values = 1;
  for (let i = 0; i < bytes.length; i += 1) {
    switch (bytes[i]) {
      case QUOTE:
        for (i += 1; i < bytes.length && bytes[i] !== QUOTE; i += 1) if (bytes[i] === BACKSLASH) i += 1;
        break;
      case OPEN_LIST:
      case OPEN_MAPPING:
        depth += 1;
        values += 1;
        if (depth > MAX_DEPTH)
          throw new FacadeError(422, 'BODY_TOO_DEEP', `the body is nested more than ${MAX_DEPTH} deep`);
        break;
      case CLOSE_LIST:
      case CLOSE_MAPPING:
        depth -= 1;
        break;
      case COMMA:
        values += 1;
    }
    if (values > MAX_VALUES) throw tooMany('VALUES', MAX_VALUES, 'values');
  }
}

/** @throws FacadeError 413 `BODY_TOO_MANY_NAMES` */
export function checkMemberNames(body: object): void {
  const names = new Set<string>();
  const left: object[] = [body];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (!Array.isArray(next)) for (const name of Object.keys(next)) names.add(name);
    if (names.size > MAX_NAMES) throw tooMany('NAMES', MAX_NAMES, 'different names');
    for (const value of Object.values(next) as unknown[])
      if (typeof value === 'object' && value !== null) left.push(value);
  }
}

function tooMany(what: string, most: number, shown: string): FacadeError {
  const hint = 'send less per request, or large values as one text';
  return new FacadeError(413, `BODY_TOO_MANY_${what}`, `the body contains more than ${most} ${shown}`, {
    fix: [hint],
  });
}
