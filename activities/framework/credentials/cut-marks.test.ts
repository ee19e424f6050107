/** Texts that were cut before they were redacted: no part of a secret is left at a cut, at any offset, in any form. */
import { shortenedText, TailBuffer } from '../tool/bounded';
import { redactor } from './redact';

const SECRET = 'Qz7PlainCanary8xK2LmN0';
const FORMS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  upper: (text) => text.toUpperCase(),
  base64: (text) => Buffer.from(text).toString('base64'),
  'base64, offset 1': (text) => Buffer.from(`a${text}`).toString('base64').slice(2),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  hex: (text) => Buffer.from(text).toString('hex'),
  url: (text) => encodeURIComponent(text),
  'url, all': (text) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join(''),
  'json, all': (text) =>
    [...text].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  json: (text) => JSON.stringify(text).slice(1, -1),
  html: (text) => [...text].map((one) => `&#${one.codePointAt(0)};`).join(''),
  'hex escapes': (text) =>
    [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''),
};

/** The longest part of the form that the text has, in characters. */
function longestPart(text: string, form: string): number {
  let most = 0;
  for (let at = 0; at < form.length; at++)
    while (at + most < form.length && text.includes(form.slice(at, at + most + 1))) most++;
  return most;
}

/** How many characters of the form stand for five of the secret, and an escape that is not finished. */
const room = (form: string, secret: string): number => Math.ceil((form.length / secret.length) * 6) + 6;

test.each(Object.keys(FORMS))('a secret as %s across the cut, at each offset', (name) => {
  const hide = redactor();
  hide.add([SECRET]);
  const form = FORMS[name]!(SECRET);
  const most = form === SECRET ? 5 : room(form, SECRET) - 1;
  for (let offset = 0; offset <= form.length; offset++) {
    const head = hide.text(
      `error: ${shortenedText(`${'y'.repeat(50)} ${form} more`, 51 + offset)}, and so on`,
    );
    expect([offset, longestPart(head, form) <= most, head]).toEqual([offset, true, head]);
    const tail = new TailBuffer(40 + offset);
    tail.push(Buffer.from(`${'x'.repeat(100)}${form}${'z'.repeat(40)}`));
    const text = hide.text(tail.toString());
    expect([offset, longestPart(text, form) <= most, text]).toEqual([offset, true, text]);
    // Both ends of what remains are cuts, and the middle of a traceback.
    const both = hide.text(`…${form.slice(offset, offset + form.length / 2)}…`);
    expect([offset, longestPart(both, form) <= most, both]).toEqual([offset, true, both]);
    const middle = hide.text(`a\n${form.slice(0, offset)}\n[…]\n${form.slice(offset)}\nb`);
    expect([offset, longestPart(middle, form) <= most, middle]).toEqual([offset, true, middle]);
  }
});

/** Deterministic: a failure can be repeated. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test('random secrets, texts and cuts: nothing of six characters of a secret is left', () => {
  const next = random(7);
  const SIGNS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:/+$é ';
  const word = (length: number): string =>
    Array.from({ length }, () => SIGNS[Math.floor(next() * SIGNS.length)])
      .join('')
      .trim()
      .padEnd(length, 'k');
  for (let round = 0; round < 600; round++) {
    const secret = word(8 + Math.floor(next() * 60));
    const hide = redactor();
    hide.add([secret, word(12)]);
    const text = `${word(next() * 300)} ${secret}${word(next() * 300)}`;
    const from = Math.floor(next() * text.length);
    const cut =
      next() < 0.5 ? shortenedText(text, from) : `[… 9 bytes of output dropped …]\n${text.slice(from)}`;
    const hidden = hide.text(cut);
    expect([round, longestPart(hidden, secret) < 6 || !text.includes(secret), hidden]).toEqual([
      round,
      true,
      hidden,
    ]);
  }
});

test('a mark beside which nothing of a secret stands changes nothing', () => {
  const hide = redactor();
  hide.add([SECRET]);
  for (const text of [
    '…',
    'done…',
    '… and more',
    `[… 12 bytes of output dropped …]\nPlain`,
    'a…b…c',
    'Qz7Pl…',
  ])
    expect(hide.text(text)).toBe(text);
});
