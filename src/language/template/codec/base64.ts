import { TemplateError } from '../errors';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const values = Uint8Array.from({ length: 128 }, (_, code) =>
  Math.max(0, alphabet.indexOf(String.fromCharCode(code))),
);

/** Base64 of bytes, padded. */
export function toBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let i = 0; i < bytes.length; i += 3) {
    const [a, b, c] = [bytes[i]!, bytes[i + 1], bytes[i + 2]];
    const word = (a << 16) | ((b ?? 0) << 8) | (c ?? 0);
    parts.push(
      alphabet.charAt(word >> 18) + alphabet.charAt((word >> 12) & 63),
      b === undefined ? '=' : alphabet.charAt((word >> 6) & 63),
      c === undefined ? '=' : alphabet.charAt(word & 63),
    );
  }
  return parts.join('');
}

/** Decodes base64, also in its URL-safe alphabet. Padding is optional, whitespace is ignored. */
export function fromBase64(text: string): number[] {
  const digits = text.replace(/\s+/g, '').replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/');
  if (!/^[A-Za-z0-9+/]*$/.test(digits) || digits.length % 4 === 1) {
    throw new TemplateError('wrongValue', 'this string is not base64');
  }
  const bytes: number[] = [];
  for (let i = 0; i < digits.length; i += 4) {
    const size = Math.min(4, digits.length - i);
    let word = 0;
    for (let k = 0; k < 4; k++) word = (word << 6) | (k < size ? values[digits.charCodeAt(i + k)]! : 0);
    for (let k = 0; k < size - 1; k++) bytes.push((word >> (16 - 8 * k)) & 255);
  }
  return bytes;
}
