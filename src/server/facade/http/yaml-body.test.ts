import { parseYamlBody, resourceIn } from './yaml-body';

const parse = (text: string): unknown => parseYamlBody(Buffer.from(text));

test('a mapping is what it is in JSON', () => {
  expect(parse('path: a/b\nworkload:\n  items: [1, "2", null]\n  text: |\n    one\n    two\n')).toEqual({
    path: 'a/b',
    workload: { items: [1, '2', null], text: 'one\ntwo\n' },
  });
  expect(parse(' \n')).toEqual({});
});

test.each([
  ['a list', '- 1'],
  ['a text', 'secret-value'],
  ['what is not YAML', 'a: [secret-value'],
  ['two documents', 'a: 1\n---\nb: 2'],
])('%s is refused without being quoted', (_, text) => {
  const refused = (): unknown => parse(text);
  expect(refused).toThrow(expect.objectContaining({ status: 400, code: 'ENTITY_PARSE_FAILED' }));
  expect(refused).not.toThrow(/secret-value/);
});

test('what grows without end, or is too large, is refused', () => {
  const bomb = [
    'a: &a [1, 1]',
    ...Array.from(
      { length: 30 },
      (_, i) => `b${i}: &b${i} [*${i ? `b${i - 1}` : 'a'}, *${i ? `b${i - 1}` : 'a'}]`,
    ),
  ];
  expect(() => parse(bomb.join('\n'))).toThrow(expect.objectContaining({ code: 'ENTITY_TOO_LARGE' }));
  const names = Array.from({ length: 26_000 }, (_, i) => `n${i}: 1`).join('\n');
  expect(() => parse(names)).toThrow(expect.objectContaining({ status: 413 }));
});

test('a resource is told from a request', () => {
  const playbook = 'apiVersion: noetl.io/v2\nkind: Playbook\n';
  expect(resourceIn(Buffer.from(`# mine\n${playbook}`))).toEqual({ content: `# mine\n${playbook}` });
  expect(resourceIn(Buffer.from('path: a\ncontent: |\n  apiVersion: noetl.io/v2\n'))).toBeUndefined();
});
