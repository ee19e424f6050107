import { TemplateError } from '../errors';

/** The UTF-8 bytes of a text. A lone surrogate becomes U+FFFD, as everywhere on the web. */
export function utf8(text: string): number[] {
  const bytes: number[] = [];
  for (const char of text) {
    let point = char.codePointAt(0)!;
    if (point >= 0xd800 && point < 0xe000) point = 0xfffd;
    if (point < 0x80) bytes.push(point);
    else if (point < 0x800) bytes.push(0xc0 | (point >> 6), 0x80 | (point & 63));
    else if (point < 0x10000)
      bytes.push(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
    else {
      bytes.push(
        0xf0 | (point >> 18),
        0x80 | ((point >> 12) & 63),
        0x80 | ((point >> 6) & 63),
        0x80 | (point & 63),
      );
    }
  }
  return bytes;
}

/** The text of UTF-8 bytes. Throws NT4112 for bytes that are not UTF-8. */
export function fromUtf8(bytes: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < bytes.length;) {
    const [point, size] = decodeAt(bytes, i);
    parts.push(String.fromCodePoint(point));
    i += size;
  }
  return parts.join('');
}

function decodeAt(bytes: readonly number[], i: number): [number, number] {
  const lead = bytes[i]!;
  if (lead < 0x80) return [lead, 1];
  const size =
    lead >= 0xf0 && lead < 0xf5 ? 4 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xc2 && lead < 0xe0 ? 2 : 0;
  let point = size === 4 ? lead & 7 : size === 3 ? lead & 15 : lead & 31;
  for (let k = 1; k < size; k++) {
    const next = bytes[i + k];
    if (next === undefined || (next & 0xc0) !== 0x80) throw notUtf8();
    point = (point << 6) | (next & 63);
  }
  const least = [0, 0, 0x80, 0x800, 0x10000][size]!;
  if (size === 0 || point < least || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) throw notUtf8();
  return [point, size];
}

function notUtf8(): TemplateError {
  return new TemplateError('wrongValue', 'the decoded bytes are not UTF-8 text');
}
