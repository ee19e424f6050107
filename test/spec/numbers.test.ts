/** docs/expressions.md says what each kind of number is behind each door: what the doors do is written there. */
import fs from 'node:fs';
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import path from 'node:path';
import { duckdb } from '../../activities/kinds/duckdb/run';
import { http as httpTool } from '../../activities/kinds/http/run';
import { script } from '../../activities/kinds/script/run';
import { readEventPayload, parseSet } from '../../src/cli/input/json';
import { readPayload } from '../../src/cli/input/payload';
import { compile } from '../../src/dsl';
import { hasCode } from '../../src/errors';
import { parseBody } from '../../src/facade/http/json-body';
import { payloadConverter } from '../../src/payloads/converter';
import { isMapping, type Json, type JsonObject, type Outcome } from '../../src/plan';
import { jsonText } from '../../src/projection/tables/json-text';
import { evaluate, parseTemplate, TemplateError } from '../../src/template';
import { HEADER } from '../support/compiled';
import { type PostgresTool, postgresTool } from '../support/postgres-tool';
import { ROOT } from '../support/process';
import { usePython } from '../support/python-tool';
import { simulate } from '../support/simulator';
import { run } from '../support/tool-call';

const FILE = path.join(ROOT, 'docs', 'expressions.md');
const BEGIN = '<!-- numbers: UPDATE_REFERENCE=1 npx jest test/spec/numbers.test.ts -->\n';
const END = '<!-- the end of numbers -->\n';

const NUMBERS = [
  '42',
  '9007199254740991',
  '9007199254740993',
  '-9223372036854775808',
  '19.90',
  '0.1234567890123456789',
  '1e400',
];

/** What came out: a value, with a word about lost digits, or a code. */
interface Seen {
  readonly value?: unknown;
  readonly noted?: boolean;
  readonly code?: string;
}

const python = usePython();
let postgres: PostgresTool;
let server: http.Server;
let body = '';
const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeAll(async () => {
  postgres = await postgresTool();
  server = http.createServer((_request, response) =>
    response.setHeader('content-type', 'application/json').end(body),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
}, 120_000);
afterAll(async () => {
  await httpTool.close!();
  await duckdb.close!();
  server.close();
  await postgres.stop();
});

/** Whether something was written to standard error. */
function withWords(read: () => unknown): Seen {
  const written = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const value = read();
    return { value, noted: written.mock.calls.length > 0 };
  } finally {
    written.mockRestore();
  }
}

async function ofTool(outcome: Promise<Outcome>, at: (result: JsonObject) => unknown): Promise<Seen> {
  const { error, meta, result } = await outcome;
  if (error) return { code: error.code };
  return { value: at(result as JsonObject), noted: meta['digits_lost'] !== undefined };
}

function inYaml(n: string): Seen {
  const steps = `workflow: [{step: start, tool: {kind: noop, input: {n: "{{ workload.n }}"}}}]`;
  const { plan, diagnostics } = compile(`${HEADER}workload: {n: ${n}}\n${steps}\n`);
  if (!plan) return { code: diagnostics[0]!.code };
  return { value: (simulate(plan).result as JsonObject)['n'], noted: diagnostics.length > 0 };
}

const inTemplate = (source: string): Seen => ({
  value: evaluate(parseTemplate(source), { lookup: () => undefined }),
});
const row = (result: JsonObject): unknown => (result['rows'] as JsonObject[])[0]!['n'];

const DOORS: Readonly<Record<string, (n: string) => Seen | Promise<Seen>>> = {
  YAML: inYaml,
  'REST: a body': (n) => ({ value: (parseBody(Buffer.from(`{"n": ${n}}`)) as JsonObject)['n'] }),
  '`--payload`': (n) => withWords(() => readPayload(`{"n": ${n}}`)['n']),
  '`--set n=…`': (n) => withWords(() => (parseSet(`n=${n}`) as JsonObject)['n']),
  '`send --payload`': (n) => withWords(() => readEventPayload(n)),
  'a literal in a template': (n) => inTemplate(`{{ ${n} }}`),
  '`fromjson`': (n) => inTemplate(`{{ '${n}' | fromjson }}`),
  'http: a JSON body': (n) => {
    body = `{"n": ${n}}`;
    return ofTool(run(httpTool, { url: url() }), (result) => (result['data'] as JsonObject)['n']);
  },
  'python: a result': (n) => ofTool(python.code(`result = {"n": ${n}}`), (result) => result['n']),
  'script: JSON printed': (n) =>
    ofTool(
      run(script, { interpreter: 'sh', code: `echo '{"n": ${n}}'` }),
      (result) => (result['data'] as JsonObject)['n'],
    ),
  'postgres: a column `numeric`': async (n) => {
    await postgres.ok({
      command: `drop table if exists t; create table t (n numeric); insert into t values (${n})`,
    });
    return ofTool(postgres.send({ command: 'select n from t' }), row);
  },
  'postgres: computed `numeric`': (n) =>
    ofTool(postgres.send({ command: `select sum(n) as n from (values (${n}::numeric)) t (n)` }), row),
  'postgres: `jsonb`': (n) =>
    ofTool(postgres.send({ command: `select '{"n": ${n}}'::jsonb as n` }), (result) => {
      const value = row(result);
      return isMapping(value) ? (value as JsonObject)['n'] : value;
    }),
  'duckdb: `hugeint`, `decimal`, `double`': (n) =>
    ofTool(
      run(duckdb, {
        command: `select ${n.includes('e') ? `${n}::double` : n.includes('.') ? `${n}::decimal(38, 19)` : `${n}::hugeint`} as n`,
      }),
      row,
    ),
};

async function seenAt(door: (n: string) => Seen | Promise<Seen>, n: string): Promise<Seen> {
  try {
    return await door(n);
  } catch (error) {
    if (hasCode(error, 'NUMBER_TOO_LARGE') || error instanceof TemplateError) return { code: error.code };
    if (error instanceof Error && 'code' in error) return { code: String(error.code) };
    throw error;
  }
}

function cell({ value, noted, code }: Seen): string {
  if (code !== undefined) return code;
  const text =
    typeof value === 'string' && value.length > 30 ? `"${value.slice(0, 5)}…"` : JSON.stringify(value);
  return `\`${text}\`${noted ? ' ⚠' : ''}`;
}

test('the table of docs/expressions.md says what comes out', async () => {
  const lines = [
    `| | ${NUMBERS.map((n) => `\`${n}\``).join(' | ')} |`,
    `|---|${'---|'.repeat(NUMBERS.length)}`,
  ];
  for (const [name, door] of Object.entries(DOORS)) {
    const cells: string[] = [];
    for (const n of NUMBERS) {
      const seen = await seenAt(door, n);
      cells.push(cell(seen));
      // No door may change an integer without a word.
      if (/^-?\d+$/.test(n) && seen.code === undefined) expect([name, String(seen.value)]).toEqual([name, n]);
      expectKept(seen.value as Json);
    }
    lines.push(`| ${name} | ${cells.join(' | ')} |`);
  }
  const table = `\n${lines.join('\n')}\n\n`;
  const text = fs.readFileSync(FILE, 'utf8');
  const [from, to] = [text.indexOf(BEGIN) + BEGIN.length, text.indexOf(END)];
  expect(from).toBeGreaterThan(BEGIN.length);
  if (process.env.UPDATE_REFERENCE === '1')
    fs.writeFileSync(FILE, text.slice(0, from) + table + text.slice(to));
  else expect(text.slice(from, to)).toBe(table);
}, 300_000);

/** History, tables and every document of JSON keep what came in. */
function expectKept(value: Json): void {
  if (value === undefined) return;
  expect(payloadConverter.fromPayload(payloadConverter.toPayload({ value })!)).toEqual({ value });
  expect(JSON.parse(jsonText({ value }))).toEqual({ value });
}
