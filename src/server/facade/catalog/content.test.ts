/** What clients send to be registered. */
import { decodedContent, readSubmitted } from './content';

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

test.each([
  ['kind: Tool\n', 'kind: Tool\n'],
  [base64('kind: Tool\nname: ü\n'), 'kind: Tool\nname: ü\n'],
  [base64('kind: Tool').replace(/.{4}/g, '$&\n'), 'kind: Tool'],
  // No base64 of a text.
  ['////', '////'],
  ['abc', 'abc'],
])('%j is the text %j', (given, text) => expect(decodedContent(given)).toBe(text));

test.each([
  ['kind: Tool\nmetadata: {path: a/b}', 'Playbook', 'tool'],
  ['kind: playbook\nmetadata: {path: a/b}', 'Tool', 'playbook'],
  ['metadata: {path: a/b}', 'Model', 'model'],
  // Misspelt: its compiler says so.
  ['kind: Playbok\nmetadata: {path: a/b}', 'Playbook', 'playbook'],
])('%j registered as %s is a %s', (text, type, kind) => {
  expect(readSubmitted(text, type)).toMatchObject({ kind, path: 'a/b' });
});

test.each([
  ['- a', 'PLAYBOOK_INVALID'],
  ['a: [', 'PLAYBOOK_INVALID'],
  ['kind: Tool', 'RESOURCE_INVALID'],
  [`kind: Tool\nmetadata: {path: ${'x'.repeat(501)}}`, 'RESOURCE_INVALID'],
  ['kind: Tool\nmetadata: {path: ../../etc/x}', 'RESOURCE_INVALID'],
  ['{"name": "pg", "type": "postgres", "data": {}}', 'RESOURCE_IS_CREDENTIAL'],
])('%j is refused', (text, code) => {
  expect(() => readSubmitted(text, 'Playbook')).toThrow(expect.objectContaining({ status: 422, code }));
});
