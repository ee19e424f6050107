/**
 * Request bodies: JSON in UTF-8, limited in size, depth and number of values so that one caller cannot slow down
 * others.
 */
import express, { type RequestHandler } from 'express';
import { CodedError } from '../../errors';

/** A playbook with its payload. */
const MAX_BYTES = 8 * 1024 * 1024;
/** As deep as templates (src/template): recursive functions over values have enough stack. */
const MAX_DEPTH = 200;
/** The event loop parses and forwards this many within some tens of milliseconds. */
const MAX_VALUES = 250_000;

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_MAPPING, CLOSE_MAPPING] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * @throws (as a response) 413 `ENTITY_TOO_LARGE`, `BODY_TOO_MANY_VALUES`; 415 `CHARSET_UNSUPPORTED`; 422
 * `BODY_TOO_DEEP`
 */
export function jsonBodies(): RequestHandler {
  return express.json({
    limit: MAX_BYTES,
    verify(_request, _response, bytes, charset) {
      if (charset !== 'utf-8') throw new CodedError('CHARSET_UNSUPPORTED', `JSON is UTF-8, not ${charset}`);
      checkShape(bytes);
    },
  });
}

/** Counts brackets and commas outside of strings before parsing. @throws CodedError */
export function checkShape(bytes: Buffer): void {
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
          throw new CodedError('BODY_TOO_DEEP', `the body is nested more than ${MAX_DEPTH} deep`);
        break;
      case CLOSE_LIST:
      case CLOSE_MAPPING:
        depth -= 1;
        break;
      case COMMA:
        values += 1;
    }
    if (values > MAX_VALUES)
      throw new CodedError('BODY_TOO_MANY_VALUES', `the body contains more than ${MAX_VALUES} values`);
  }
}
