import { checkShape } from './body';

const check = (text: string) => (): void => checkShape(Buffer.from(text));
const nested = (depth: number): string => '[{"a":'.repeat(depth / 2) + '1' + '}]'.repeat(depth / 2);

test.each([
  ['as deep as may be', nested(200)],
  ['brackets in a text', JSON.stringify({ text: '['.repeat(5000), 'a\\"': '{'.repeat(5000) })],
  ['many values', `[${Array(200_000).fill('1').join()}]`],
  ['commas in a text', JSON.stringify(','.repeat(300_000))],
  ['a text without an end, for the parser to refuse', '["a'],
])('%s passes', (_, text) => expect(check(text)).not.toThrow());

test.each([
  ['nested deeper', nested(202), 'BODY_TOO_DEEP'],
  ['opened and never closed', '['.repeat(5000), 'BODY_TOO_DEEP'],
  ['deep behind a text that ends in a backslash', `["\\\\",${'['.repeat(300)}`, 'BODY_TOO_DEEP'],
  ['more values', `[${Array(250_001).fill('1').join()}]`, 'BODY_TOO_MANY_VALUES'],
  ['more empty lists', `[${Array(130_000).fill('[]').join()}]`, 'BODY_TOO_MANY_VALUES'],
])('%s is refused', (_, text, code) => expect(check(text)).toThrow(expect.objectContaining({ code })));
