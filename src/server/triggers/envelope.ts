/** A message of a source as templates and workloads have it: official engines' envelope. */
import { createHash } from 'node:crypto';
import { CodedError } from '../../language/errors';
import { type Json, type TriggerMessage } from '../../language/plan';
import { readJson } from '../../language/plan/json-text';
import { type SourceMessage } from './source';

/** Of a key, or an id, in a table: an index holds no longer one, and no text a NUL. */
export const MAX_KEY = 255;

/** The same for the same, and for nothing else; a digest of what a table cannot hold: UTF-8 has no halves of characters. */
export function storableKey(given: string): string {
  const isHalved = /\p{Surrogate}/u.test(given);
  if (given.length <= MAX_KEY && !given.includes('\0') && !isHalved) return given;
  return createHash('sha256')
    .update(given, isHalved ? 'utf16le' : 'utf8')
    .digest('hex');
}

/** Making one takes longer than most messages do. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** As deep as bodies of the REST API. */
const MAX_DEPTH = 200;

/** @throws CodedError `MESSAGE_TOO_DEEP` */
export function messageOfSource(message: SourceMessage): TriggerMessage {
  const { id, bytes, headers, attributes, metadata } = message;
  const type = headers['content-type'];
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    const data = Buffer.from(bytes).toString('base64');
    return { id, data, headers, attributes, metadata: { ...metadata, encoding: 'base64' } };
  }
  const isForm = typeof type === 'string' && type.startsWith('application/x-www-form-urlencoded');
  const data = isForm ? Object.fromEntries(new URLSearchParams(text)) : jsonOr(text);
  return { id, data, headers, attributes, metadata };
}

function jsonOr(text: string): Json {
  if (/^\s*[[{]/.test(text)) refuseDeep(text);
  try {
    return text.trim() === '' ? text : readJson(text).value;
  } catch {
    return text;
  }
}

function refuseDeep(text: string): void {
  let depth = 0;
  for (let i = 0; i < text.length; i += 1) {
    const one = text[i];
    if (one === '"') for (i += 1; i < text.length && text[i] !== '"'; i += 1) if (text[i] === '\\') i += 1;
    if (one === '[' || one === '{') depth += 1;
    if (one === ']' || one === '}') depth -= 1;
    if (depth > MAX_DEPTH)
      throw new CodedError('MESSAGE_TOO_DEEP', `the message is nested more than ${MAX_DEPTH} deep`);
  }
}
