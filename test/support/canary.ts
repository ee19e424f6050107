/**
 * The search for secrets in what is kept: histories with their payloads decoded, events of all profiles, text, and files
 * below a folder. Search what was planted first: a search that finds nothing at all proves nothing.
 */
import { isAscii } from 'node:buffer';
import fs from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { type CanonicalEvent, PROFILE_NAMES, PROFILES } from '../../src/history';

/** A text that was searched, and where it was. */
export interface Content {
  readonly where: string;
  readonly text: string;
}

/** What it is called, and the canary so written. */
type Form = readonly [form: string, text: string];

/** A form of a canary that was found. */
export interface Found {
  readonly where: string;
  readonly canary: string;
  /** `plain`, `base64`, `base64url`, `url`, `json`, `hex`. */
  readonly form: string;
  /** What stands before it: where it comes from. */
  readonly after: string;
}

/** The canaries in the contents, in whatever form; empty when there are none. */
export function canariesIn(
  contents: readonly Content[],
  canaries: readonly string[],
  formsOf: (canary: string) => readonly Form[] = encodedForms,
): Found[] {
  // Most forms of plain words are the same: databases are long.
  const forms = canaries.flatMap((canary) =>
    [...new Map(formsOf(canary).map(([form, text]) => [text, form]))].map(([text, form]) => ({
      canary,
      form,
      text,
    })),
  );
  return contents.flatMap(({ where, text }) =>
    forms
      .map((each) => ({ ...each, at: text.indexOf(each.text) }))
      .filter(({ at }) => at >= 0)
      .map(({ canary, form, at }) => ({ where, canary, form, after: text.slice(Math.max(0, at - 120), at) })),
  );
}

/**
 * Every spelling of the canary. In base64 the digits of a value depend on what stands before it, so there are three; the
 * first and last digits of each belong to the neighbours too and are left out.
 */
function encodedForms(canary: string): Form[] {
  const json = JSON.stringify(canary).slice(1, -1);
  // As Python writes it.
  const ascii = json.replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return [
    ['plain', canary],
    ['json', json],
    ['json', ascii],
    // JSON in JSON.
    ['json', JSON.stringify(json).slice(1, -1)],
    // A mapping with the secret in it is JSON before it is anything else.
    ...[canary, json, ascii].flatMap(encodingsOf),
  ];
}

/**
 * As tools write it by themselves, whatever the case of its letters: many more forms, so not for whole databases.
 */
export function canariesWritten(contents: readonly Content[], canaries: readonly string[]): Found[] {
  const lowered = contents.map(({ where, text }) => ({ where, text: text.toLowerCase() }));
  return canariesIn(lowered, canaries, (canary) =>
    writtenForms(canary).map(([form, text]) => [form, text.toLowerCase()]),
  );
}

function writtenForms(canary: string): Form[] {
  const url = encodeURIComponent(canary);
  const html = canary.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#x27;');
  const escapedBytes = [...Buffer.from(canary)].map((byte) =>
    byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`,
  );
  const printable = [...Buffer.from(canary)].map((byte) =>
    byte < 0x7f && byte !== 0x3d ? String.fromCharCode(byte) : `=${byte.toString(16)}`,
  );
  const hex = [...Buffer.from(canary)].map((byte) => byte.toString(16).padStart(2, '0'));
  const base64 = Buffer.from(canary).toString('base64');
  return [
    ['plain, any case', canary],
    ['UTF-8 read as Latin-1', Buffer.from(canary).toString('latin1')],
    ['Python, ASCII', canary.replace(/[^\x20-\x7e]/g, (unit) => `\\x${unit.charCodeAt(0).toString(16)}`)],
    ['Python, bytes', escapedBytes.join('')],
    ['HTML', html],
    ['HTML, numbers', html.replace(/[^\x20-\x7e]/g, (unit) => `&#${unit.charCodeAt(0)};`)],
    ['shell', canary.replace(/[^\w./+-]/g, '\\$&')],
    ['URL, twice', encodeURIComponent(url)],
    ['URL with paths, twice', encodeURIComponent(url.replaceAll('%2F', '/'))],
    ['quoted-printable', printable.join('')],
    ['hex with colons', hex.join(':')],
    ['hex with blanks', hex.slice(0, 16).join(' ')],
    // The breaks of lines come after 76 digits, wherever it begins.
    ['base64 in part', base64.slice(0, 24)],
  ];
}

function encodingsOf(text: string): Form[] {
  const bytes = Buffer.from(text);
  const base64 = [0, 1, 2].map((before) => {
    const digits = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return digits.slice(before === 0 ? 0 : before + 1, digits.length - 1);
  });
  const url = encodeURIComponent(text);
  return [
    ...base64.map((digits) => ['base64', digits] as const),
    ...base64.map((digits) => ['base64url', digits.replaceAll('+', '-').replaceAll('/', '_')] as const),
    ['url', url],
    ['url', url.replace(/%../g, (octet) => octet.toLowerCase())],
    ['url', new URLSearchParams({ v: text }).toString().slice(2)],
    ['hex', bytes.toString('hex')],
    ['hex', bytes.toString('hex').toUpperCase()],
  ];
}

/** A history, as JSON (`historyToJSON`, `--history`) or in a file: itself, and every payload in it decoded. */
export function contentsOfHistory(history: string | object, name = 'history'): Content[] {
  const text =
    typeof history === 'object'
      ? JSON.stringify(history)
      : fs.existsSync(history)
        ? fs.readFileSync(history, 'utf8')
        : history;
  return [{ where: name, text }, ...payloadsIn(JSON.parse(text) as unknown, name)];
}

/** What stands in base64 at any depth: payloads of payloads (a local loop's trace) too. */
function payloadsIn(value: unknown, where: string): Content[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]): Content[] => {
    const at = `${where}.${key}`;
    if (typeof part !== 'string') return payloadsIn(part, at);
    if (!/^[A-Za-z0-9+/]{12,}={0,2}$/.test(part)) return [];
    return unpacked(Buffer.from(part, 'base64')).flatMap((text): Content[] => {
      const inner: Content = { where: at, text };
      try {
        return [inner, ...payloadsIn(JSON.parse(text) as unknown, at)];
      } catch {
        return [inner];
      }
    });
  });
}

/** Events as every profile tells them. */
export function contentsOfEvents(events: readonly CanonicalEvent[]): Content[] {
  return PROFILE_NAMES.map((name) => ({
    where: `events, profile ${name}`,
    text: JSON.stringify(events.flatMap(PROFILES[name].project())),
  }));
}

/**
 * Every file below the folder, packed ones unpacked; databases of SQLite and Postgres are files. What a running server
 * takes away between the listing and the reading is not kept (Postgres replaces its caches so).
 */
export function contentsOfFolder(folder: string): Content[] {
  return fs.readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry): Content[] => {
    const file = path.join(entry.parentPath, entry.name);
    if (!entry.isFile()) return [];
    return unpacked(bytesOf(file)).map((text) => ({ where: path.relative(folder, file), text }));
  });
}

function bytesOf(file: string): Buffer {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

/** How a stream of zlib begins, as payloads that are compressed do, inside of stored payloads and of databases too. */
const ZLIB = Buffer.from([0x78, 0x9c]);
const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;
/** What RFC 1950 asks of the first two bytes: the method, and a sum. */
const isZlib = (bytes: Buffer): boolean =>
  bytes.length > 2 && (bytes[0]! & 0x0f) === 8 && bytes.readUInt16BE() % 31 === 0;

/** The bytes as text, and what they unpack to where they, or parts of them, are packed. */
function unpacked(bytes: Buffer): string[] {
  const texts = isAscii(bytes)
    ? [bytes.toString('latin1')]
    : [bytes.toString('latin1'), bytes.toString('utf8')];
  const attempt = (unpack: typeof inflateSync, part: Buffer): void => {
    try {
      texts.push(unpack(part, { maxOutputLength: 2 ** 26 }).toString('utf8'));
    } catch {
      // Packed in no way, or in another.
    }
  };
  if (isGzip(bytes)) attempt(gunzipSync, bytes);
  if (isZlib(bytes)) attempt(inflateSync, bytes);
  attempt(brotliDecompressSync, bytes);
  for (let at = bytes.indexOf(ZLIB, 1); at !== -1; at = bytes.indexOf(ZLIB, at + 1))
    attempt(inflateSync, bytes.subarray(at));
  return texts;
}
