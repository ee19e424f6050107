/** Answers as JSON, written in portions: ten thousand rows at once would keep everybody else waiting for a tenth of a second. */
import { setImmediate as immediately } from 'node:timers/promises';
import { type Response } from 'express';
import { isMapping } from '../../../language/plan';
import { writtenLine } from './lines';

/** Rows of a portion; and the characters that end one early. */
export const ROWS = 250;
const CHARS = 256 * 1024;

let last: Promise<unknown> = Promise.resolve();

/** Resolves in a round of the event loop of its own, whoever else asks: portions of many answers do not come together. */
export function turn(): Promise<unknown> {
  last = last.then(() => immediately());
  return last;
}

/** In place of a list of an answer: its rows as JSON, a portion at a time. */
export class JsonRows {
  constructor(readonly portions: Iterable<readonly string[]> | AsyncIterable<readonly string[]>) {}
}

/** The head is sent with the first portion: an error before it is answered as any other. */
export async function sendJson(response: Response, body: unknown): Promise<void> {
  if (!hasLongList(body)) return void response.json(body);
  await sendTexts(response, textsOf(body));
}

/** What is JSON already. */
export async function sendJsonText(response: Response, text: string): Promise<void> {
  if (text.length <= CHARS) return void response.type('json').send(text);
  await sendTexts(response, slicesOf(text));
}

async function sendTexts(response: Response, texts: AsyncIterable<string>): Promise<void> {
  let pending = '';
  for await (const text of texts) {
    pending += text;
    if (pending.length < CHARS) continue;
    if (!response.headersSent) response.type('json');
    await writtenLine(response, pending);
    if (response.destroyed) return;
    pending = '';
    await turn();
  }
  if (!response.headersSent) response.type('json');
  response.end(pending);
}

function hasLongList(body: unknown): body is object {
  return isLong(body) || (isMapping(body) && Object.values(body).some(isLong));
}

function isLong(value: unknown): value is JsonRows | readonly unknown[] {
  return value instanceof JsonRows || (Array.isArray(value) && value.length > ROWS);
}

async function* textsOf(body: object): AsyncGenerator<string, void> {
  if (isLong(body)) return yield* listOf(body);
  let before = '{';
  for (const [name, value] of Object.entries(body)) {
    const text = isLong(value) ? '' : JSON.stringify(value);
    if (text === undefined) continue;
    yield `${before}${JSON.stringify(name)}:${text}`;
    if (isLong(value)) yield* listOf(value);
    before = ',';
  }
  yield '}';
}

async function* listOf(list: JsonRows | readonly unknown[]): AsyncGenerator<string, void> {
  let before = '[';
  await turn();
  for await (const rows of list instanceof JsonRows ? list.portions : portionsOf(list)) {
    if (rows.length === 0) continue;
    yield `${before}${rows.join(',')}`;
    before = ',';
    await turn();
  }
  yield before === '[' ? '[]' : ']';
}

function* portionsOf(values: readonly unknown[]): Generator<readonly string[], void> {
  let rows: string[] = [];
  let length = 0;
  for (const value of values) {
    const row = JSON.stringify(value) ?? 'null';
    rows.push(row);
    length += row.length;
    if (rows.length < ROWS && length < CHARS) continue;
    yield rows;
    rows = [];
    length = 0;
  }
  yield rows;
}

async function* slicesOf(text: string): AsyncGenerator<string, void> {
  for (let first = 0; first < text.length;) {
    let end = first + CHARS;
    // Both halves of a character go together.
    if (/[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end++;
    yield text.slice(first, end);
    first = end;
  }
}
