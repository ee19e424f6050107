/** What is written on the page as the fragment of an address, which browsers send to nobody: compressed, and bounded both ways. */
import { CodedError } from '../../src/language/errors';
import { type PlaygroundTexts } from './protocol';

const VERSION = 'v1.';
/** Characters of all texts: more is no example any more, and drawing it would keep the page busy. */
export const MAX_TEXT = 200_000;
/** Characters of a fragment: chat programs and mail cut longer addresses. */
const MAX_LINK = 30_000;

/** @throws CodedError `LINK_TOO_LONG` */
export async function linkOf({ playbook, rehearsals, faults }: PlaygroundTexts): Promise<string> {
  const text = JSON.stringify([playbook, rehearsals, faults]);
  if (text.length > MAX_TEXT) throw tooLong();
  const packed = await collected(
    new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw')),
    MAX_LINK,
  );
  const link = VERSION + base64Url(packed);
  if (link.length > MAX_LINK) throw tooLong();
  return link;
}

/** @param fragment with or without `#` @throws CodedError `NOT_A_LINK`, `LINK_TOO_LONG` */
export async function textsOfLink(fragment: string): Promise<PlaygroundTexts> {
  const link = fragment.replace(/^#/, '');
  if (link.length > MAX_LINK) throw tooLong();
  if (!link.startsWith(VERSION)) throw notALink();
  const texts = await unpacked(link.slice(VERSION.length)).catch((error: unknown) => {
    throw error instanceof CodedError ? error : notALink();
  });
  if (!isTexts(texts)) throw notALink();
  const [playbook, rehearsals, faults] = texts;
  return { playbook, rehearsals, faults };
}

async function unpacked(base64: string): Promise<unknown> {
  const bytes = Uint8Array.from(atob(base64.replaceAll('-', '+').replaceAll('_', '/')), (char) =>
    char.charCodeAt(0),
  );
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return JSON.parse(new TextDecoder().decode(await collected(stream, 3 * MAX_TEXT)));
}

function isTexts(value: unknown): value is [string, string, string] {
  return Array.isArray(value) && value.length === 3 && value.every((one) => typeof one === 'string');
}

/** @throws CodedError as soon as there are more bytes: a few of a link may stand for gigabytes */
async function collected(stream: ReadableStream<Uint8Array>, most: number): Promise<Uint8Array> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    length += value.length;
    if (length <= most) continue;
    await reader.cancel();
    throw tooLong();
  }
  const all = new Uint8Array(length);
  chunks.reduce((at, chunk) => (all.set(chunk, at), at + chunk.length), 0);
  return all;
}

function base64Url(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function tooLong(): CodedError {
  return new CodedError('LINK_TOO_LONG', 'This is too long for a link: share the files instead.');
}

function notALink(): CodedError {
  return new CodedError('NOT_A_LINK', 'This link is not whole: copy it again.');
}
