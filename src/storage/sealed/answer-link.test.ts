import { createSecretKey, randomBytes } from 'node:crypto';
import { keyRing } from '../keyring';
import { answerLinkPath, linkExpires, openAnswerLink } from './answer-link';

const ring = () => keyRing([{ kid: 'a', key: createSecretKey(randomBytes(32)) }]);
const LINK = { execution_id: '42', task_run_id: 'ask#1~1@1', expires: 1000, to: 'email a@b.c' };
const textOf = (path: string): string => path.slice('/answer/'.length);

test('a link opens with the keys that sealed it, and its text does not tell what it is for', () => {
  const keys = ring();
  const path = answerLinkPath(keys, LINK);
  expect(path).toMatch(/^\/answer\/[\w-]+$/);
  expect(Buffer.from(textOf(path), 'base64url').toString('latin1')).not.toContain('ask');
  expect(openAnswerLink(keys, textOf(path))).toEqual(LINK);
  expect(openAnswerLink(ring(), textOf(path))).toBeUndefined();
});

test('a link of which any byte is changed or missing does not open', () => {
  const keys = ring();
  const bytes = Buffer.from(textOf(answerLinkPath(keys, LINK)), 'base64url');
  for (let at = 0; at < bytes.length; at++) {
    const other = Buffer.from(bytes);
    other[at]! ^= 1;
    expect(openAnswerLink(keys, other.toString('base64url'))).toBeUndefined();
    expect(openAnswerLink(keys, bytes.subarray(0, at).toString('base64url'))).toBeUndefined();
  }
  expect(openAnswerLink(keys, 'what')).toBeUndefined();
});

test('another ciphertext of the same keys is no link', () => {
  const keys = ring();
  const sealed = keys.seal(JSON.stringify(LINK), 'credential/1').toString('base64url');
  expect(openAnswerLink(keys, sealed)).toBeUndefined();
});

test('a link expires after its time, and no later than the wait', () => {
  expect([linkExpires(0, 60, undefined), linkExpires(0, 60, 5000)]).toEqual([60_000, 5000]);
});
