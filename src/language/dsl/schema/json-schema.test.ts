import Ajv, { type ErrorObject } from 'ajv';
import { parse } from 'yaml';
import { GENERATIONS, realPlaybooks, testWithRealPlaybooks } from '../../../../test/support/real-playbooks';
import { compile } from '../compile';
import { type DiagnosticCode, CODES } from '../diagnostics/codes';
import { EXAMPLES } from '../../../../test/support/diagnostics/examples';
import { KINDS } from '../kinds';
import { playbookSchema } from './json-schema';
import { type SchemaJson } from './json-schema-tools';

const validate = new Ajv({ strict: false, allErrors: true }).compile(playbookSchema());

function errorsOf(text: string): ErrorObject[] {
  validate(parse(text, { maxAliasCount: 100 }));
  return validate.errors ?? [];
}

testWithRealPlaybooks();
const files = [...GENERATIONS, 'examples' as const].flatMap((source) => realPlaybooks(source));

test.each(files)('$name is judged as the compiler judges it', ({ text }) => {
  const { plan } = compile(text);
  if (plan !== undefined) expect(errorsOf(text)).toEqual([]);
});

/** What needs more than the shape of the document: names, expressions, the graph, and syntax below JSON. */
const UNSEEN =
  /^NT(1|3|4|5|6|2007$|202[12356]$|2033|2034|2035|2036|2038|2041|205[456]|2061|2070|2080|2090|2091|2096)/;

/** Structural, and still nothing that a table of keys can say. */
const BEYOND_TABLES = new Set<DiagnosticCode>([
  'NT2020',
  'NT2030',
  'NT2053',
  'NT2057',
  'NT2058',
  'NT2059',
  'NT2060',
  'NT2062',
  'NT2063',
  'NT2091',
  'NT2092',
]);

const codes = (Object.keys(CODES) as DiagnosticCode[]).filter((code) => !/^NT[17]|NT4002/.test(code));

describe('the example of a diagnostic', () => {
  test.each(codes.filter((code) => !UNSEEN.test(code) && !BEYOND_TABLES.has(code)))(
    '%s is refused by the schema too',
    (code) => {
      expect(errorsOf(EXAMPLES[code].text.replace('‹', ''))).not.toEqual([]);
    },
  );

  test.each(codes.filter((code) => /^NT[3456]/.test(code)))('%s is beyond the schema', (code) => {
    expect(errorsOf(EXAMPLES[code].text.replace('‹', ''))).toEqual([]);
  });
});

describe('an editor', () => {
  const schema = playbookSchema();
  const definitions = schema.definitions as Record<string, { properties?: Record<string, SchemaJson> }>;

  test('finds a description for every key', () => {
    const bare = Object.entries({ playbook: schema, ...definitions }).flatMap(([name, each]) =>
      Object.entries((each as { properties?: Record<string, SchemaJson> }).properties ?? {})
        .filter(([, property]) => typeof property === 'object' && typeof property.description !== 'string')
        .map(([key]) => `${name}.${key}`),
    );
    expect(bare).toEqual([]);
  });

  test('is offered every kind with what it does, and the fields of the chosen kind', () => {
    const { anyOf } = definitions.tool!.properties!.kind as {
      anyOf: { enum: string[]; enumDescriptions: string[] }[];
    };
    const kind = anyOf[0]!;
    expect(kind.enum).toEqual(Object.keys(KINDS));
    expect(kind.enumDescriptions).toHaveLength(kind.enum.length);
    expect(Object.keys(definitions.tool_http!.properties!)).toEqual(
      expect.arrayContaining(['url', 'method', 'headers']),
    );
    expect(definitions.tool_http!.properties).not.toHaveProperty('query');
  });

  test('is told the modern spelling of what is refused or old', () => {
    const { when } = definitions.step!.properties!;
    expect(when).toMatchObject({ not: {}, deprecationMessage: expect.stringContaining('arc') as string });
    expect(definitions.step!.properties!.with).toMatchObject({ deprecated: true });
  });

  test('resolves every reference', () => {
    const named = [...JSON.stringify(schema).matchAll(/"#\/definitions\/([^"]+)"/g)].map(([, name]) => name!);
    expect(new Set(named)).toEqual(new Set(Object.keys(definitions)));
  });
});

const STEP = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: a}\nworkflow:\n- step: start\n  ';

test.each([
  ['a misspelt key of a step', 'tol: {kind: noop}'],
  ['a misspelt field of a tool', 'tool: {kind: http, url: a, methd: GET}'],
  ['a field of another kind', 'tool: {kind: http, url: a, query: select 1}'],
  ['a field that is missing', 'tool: [{name: a, kind: postgres, auth: x}]'],
  ['two names of one field', 'tool: {kind: http, url: a, endpoint: b}'],
  ['an unknown kind below a label', 'tool: [{fetch: {kind: htp}}]'],
  ['an unknown action', 'tool: {kind: noop, spec: {policy: {rules: [{else: {then: {do: retyr}}}]}}}'],
  [
    'attempts that are no number',
    'tool: {kind: noop, spec: {policy: {rules: [{else: {then: {attempts: often}}}]}}}',
  ],
  ['a policy that is a list', 'tool: {kind: noop}\n  spec: {policy: [1]}'],
  ['an arc without step', 'tool: {kind: noop}\n  next: {arcs: [{when: "{{ true }}"}]}'],
  ['a null step', 'tool: {kind: noop}\n-'],
])('%s is refused', (_, step) => {
  expect(errorsOf(`${STEP}${step}\n`)).not.toEqual([]);
});

test.each([
  ['a field of the tool in its spec', 'tool: {kind: postgres, spec: {command: select 1}}'],
  ['a task under a label', 'tool: [{fetch: {kind: noop}}]'],
  ['a key whose value is still to be written', 'tool: {kind: noop}\n  next:\n  loop:'],
  [
    'a number as a template',
    'tool: {kind: noop, spec: {policy: {rules: [{else: {then: {do: retry, delay: "{{ 1 }}"}}}]}}}',
  ],
  ['the structural next', 'tool: {kind: noop}\n  next: [start, {step: end, args: {a: 1}}]'],
  ['fields of an open kind', 'tool: {kind: gateway, anything: goes}'],
  ['a kind that the playbook declares', 'tool: {kind: dice}\nexecutor: {spec: {extensions: [dice]}}'],
])('%s is allowed', (_, step) => {
  expect(errorsOf(`${STEP}${step}\n`)).toEqual([]);
});
