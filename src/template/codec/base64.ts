import { TemplateError } from '../errors';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Base64 of bytes, padded. */
export function toBase64(bytes: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < bytes.length; i += 3) {
    const [a = 0, b, c] = bytes.slice(i, i + 3);
    const word = (a << 16) | ((b ?? 0) << 8) | (c ?? 0);
    parts.push(
      alphabet.charAt(word >> 18) + alphabet.charAt((word >> 12) & 63),
      b === undefined ? '=' : alphabet.charAt((word >> 6) & 63),
      c === undefined ? '=' : alphabet.charAt(word & 63),
    );
  }
  return parts.join('');
}

/** The bytes of base64, also in its URL-safe alphabet. Padding may be missing, blanks are ignored. */
export function fromBase64(text: string): number[] {
  const digits = text.replace(/\s+/g, '').replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/');
  if (!/^[A-Za-z0-9+/]*$/.test(digits) || digits.length % 4 === 1) {
    throw new TemplateError('wrongValue', 'this text is not base64');
  }
  const bytes: number[] = [];
  for (let i = 0; i < digits.length; i += 4) {
    const group = [...digits.slice(i, i + 4)].map((digit) => alphabet.indexOf(digit));
    const word = group.reduce((sum, digit, k) => sum | (digit << (18 - 6 * k)), 0);
    for (let k = 0; k < group.length - 1; k++) bytes.push((word >> (16 - 8 * k)) & 255);
  }
  return bytes;
}
