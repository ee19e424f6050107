/** Playbooks as tools: names, and schemas that JSON Schema's own compiler takes. */
import Ajv from 'ajv/dist/2020';
import { readResource } from '../../../language/dsl';
import { type CatalogEntry } from '../../store';
import { refuseHidden, resultText, toolName, toolOf } from './tool';

const entryFrom = (text: string, kind = 'playbook') => {
  const { resource } = readResource(`metadata:\n  name: n\n${text}`);
  const entry = { path: 'a/n', name: 'n', kind, payload: resource!.data } as unknown as CatalogEntry;
  return { entry, form: { name: 'n', description: resource!.description, fields: resource!.fields() } };
};
const schemaOf = (text: string): object => {
  const { entry, form } = entryFrom(text);
  const { inputSchema } = toolOf(entry, form) as { inputSchema: object };
  expect(() => new Ajv({ strict: true, allowUnionTypes: true }).compile(inputSchema)).not.toThrow();
  return inputSchema;
};

test.each([
  ['', {}],
  [
    'workload: {a: 1, b: 1.5, c: true, d: null, e: [1], f: {g: x}, h: text}',
    {
      a: { type: 'integer', default: 1 },
      b: { type: 'number', default: 1.5 },
      c: { type: 'boolean', default: true },
      d: {},
      e: { type: 'array', default: [1] },
      f: { type: 'object', default: { g: 'x' } },
      h: { type: 'string', default: 'text' },
    },
  ],
  [
    'workload:\n  key: s3cret # ui:secret\n  mode: fast # ui:enum=[fast, slow] # ui:description=How',
    {
      key: { type: 'string' },
      mode: { enum: ['fast', 'slow'], default: 'fast', description: 'How' },
    },
  ],
])('inputs that are not declared: %s', (text, properties) =>
  expect(schemaOf(text)).toEqual({ type: 'object', properties, additionalProperties: true }),
);

test('inputs that are declared, to any depth; no others are taken', () => {
  const text =
    '  workload:\n    at: {type: object, required: true, properties: {hour: {type: [integer, "null"], required: true, maximum: 23}}}\n' +
    '    tags: {type: array, items: {type: string, maxLength: 9}}\n    size: {enum: [s, m], required: true}\n    db: {type: string, credential: pg_*}\n' +
    'workload: {at: null, size: s}\n';
  expect(schemaOf(text)).toEqual({
    type: 'object',
    properties: {
      at: {
        type: 'object',
        properties: { hour: { type: ['integer', 'null'], maximum: 23 } },
        required: ['hour'],
      },
      size: { enum: ['s', 'm'], default: 's' },
      tags: { type: 'array', items: { type: 'string', maxLength: 9 } },
      db: { type: 'string' },
    },
    required: ['at'],
    additionalProperties: false,
  });
});

test.each([
  ['a tool/of mine', 'a_tool.of_mine'],
  ['  ', 'a.n'],
  ['größe', 'gr__e'],
  ['x'.repeat(200), 'x'.repeat(128)],
])('the name %j is the tool %j', (name, tool) => expect(toolName({ name, path: 'a/n' })).toBe(tool));

test.each<readonly [kind: string, metadata: string, code: string | undefined]>([
  ['playbook', 'exposes_as_mcp: true', undefined],
  ['agent', 'description: x', undefined],
  ['playbook', 'exposes_as_mcp: false', 'NOT_EXPOSED'],
  ...['"false"', 'no', 'off', '"False"', '0', '!!str n', '[]', '{toString: 1}', '"{{ false }}"'].map(
    (value) => ['playbook', `exposes_as_mcp: ${value}`, 'NOT_EXPOSED'] as const,
  ),
  ['playbook', 'exposes_as_mcp: yes', undefined],
  ['playbook', 'exposes_as_mcp:', undefined],
  ['tool', 'exposes_as_mcp: true', 'NOT_EXECUTABLE'],
])('a %s with %s', (kind, metadata, code) => {
  const { entry } = entryFrom(`  ${metadata}\n`, kind);
  const asked = (): void => refuseHidden(entry);
  if (code === undefined) expect(asked).not.toThrow();
  else expect(asked).toThrow(expect.objectContaining({ code }));
});

test.each([
  ['text', 'text'],
  [{ text: 'a', summary: 'b' }, 'a'],
  [{ text: ' ', output: { message: 'c' } }, 'c'],
  [{ rows: 1 }, '{"rows":1}'],
  [null, 'null'],
  [[1], '[1]'],
])('of %j one reads %j', (result, text) => expect(resultText(result)).toBe(text));
