import { md5, sha1 } from '@noble/hashes/legacy.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { fromBase64, toBase64 } from '../codec/base64';
import { TemplateError } from '../errors';
import { type Evaluation } from '../evaluate/run';
import { defineBuiltin, type Builtins } from '../evaluate/signature';
import { textArgument } from '../values/arguments';
import { isDict, isList, resolve, valueTypeName } from '../values/kinds';
import { toText } from '../values/text';

/** The workflow sandbox has no `node:crypto`. Digests serve as names, not to protect secrets. */
const digests: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = { md5, sha1, sha256, sha512 };

/** Filters between text and its encoded forms. */
export const encodingFilters: Builtins = {
  b64encode: defineBuiltin('', (run, v) => toBase64(bytes(run, v, run.prices.encodedChar))),
  b64decode: defineBuiltin('', (run, v) => {
    const text = toText(v, run);
    run.charge(run.prices.decodedChar * text.length);
    return fromUtf8(fromBase64(text));
  }),
  hash: defineBuiltin('hashtype=', (run, v, hashtype) => {
    const name = textArgument(hashtype, 'hashtype', 'sha1').replace('-', '').toLowerCase();
    if (!Object.hasOwn(digests, name)) {
      throw new TemplateError(
        'wrongValue',
        `hash supports ${Object.keys(digests).join(', ')}, not '${name}'`,
      );
    }
    // SHA-512 uses 64-bit arithmetic, which is slow in JavaScript.
    return bytesToHex(
      digests[name]!(bytes(run, v, run.prices[name === 'sha512' ? 'sha512Char' : 'hashedChar'])),
    );
  }),
  urlencode: defineBuiltin('', (run, v) => {
    const value = resolve(v);
    if (!isDict(value) && !isList(value)) return quote(run, value, '/');
    return pairs(value)
      .map(([key, part]) => `${quotePlus(run, key)}=${quotePlus(run, part)}`)
      .join('&');
  }),
  urldecode: defineBuiltin('', (run, v) => decode(toText(v, run).replaceAll('+', ' '))),
};

/** `price`: of a character. */
function bytes(run: Evaluation, value: unknown, price: number): Uint8Array {
  const text = toText(value, run);
  run.charge(price * text.length);
  run.produce(text.length);
  return new TextEncoder().encode(text);
}

function fromUtf8(bytes: readonly number[]): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    throw new TemplateError('wrongValue', 'the decoded bytes are not UTF-8 text');
  }
}

function pairs(value: unknown): (readonly [unknown, unknown])[] {
  if (isDict(value)) return Object.entries(value);
  return (value as readonly unknown[]).map((element) => {
    const pair = resolve(element);
    if (isList(pair) && pair.length === 2) return [pair[0], pair[1]];
    throw new TemplateError(
      'wrongType',
      `urlencode needs pairs of key and value, not ${valueTypeName(pair)}`,
    );
  });
}

function quote(run: Evaluation, value: unknown, safe: string): string {
  return Array.from(bytes(run, value, run.prices.encodedChar), (byte) => {
    const char = String.fromCharCode(byte);
    const keep = /[A-Za-z0-9_.~-]/.test(char) || safe.includes(char);
    return keep ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}

function quotePlus(run: Evaluation, value: unknown): string {
  return quote(run, value, ' ').replaceAll(' ', '+');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new TemplateError('wrongValue', 'this string is not URL-encoded');
  }
}
