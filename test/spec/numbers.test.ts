/** docs/expressions.md says what each kind of number is behind each door: what the doors do is written there. */
import fs from 'node:fs';
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import path from 'node:path';
import { duckdb } from '../../activities/kinds/duckdb/run';
import { container } from '../../activities/kinds/container/run';
import { http as httpTool } from '../../activities/kinds/http/run';
import { nats } from '../../activities/kinds/nats/run';
import { script } from '../../activities/kinds/script/run';
import { snowflakeToJson } from '../../activities/kinds/snowflake/values';
import { readEventPayload, parseSet } from '../../src/cli/input/json';
import { readPayload } from '../../src/cli/input/payload';
import { compile } from '../../src/language/dsl';
import { hasCode } from '../../src/language/errors';
import { parseAs } from '../../src/server/facade/http/body';
import { payloadConverter } from '../../src/storage/payloads/converter';
import { isMapping, type Json, type JsonObject, type Outcome } from '../../src/language/plan';
import { jsonText } from '../../src/server/projection/tables/json-text';
import { TemplateError } from '../../src/language/template';
import { HEADER } from '../support/compiled';
import { type PostgresTool, postgresTool } from '../support/postgres-tool';
import { ROOT } from '../support/process';
import { usePython } from '../support/python-tool';
import { simulate } from '../support/simulator';
import { context, run } from '../support/tool-call';
import { fakeEngineForEach } from '../support/fake-engine';
import { type Emulator, needEmulator } from '../support/python-servers';

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
  '9007199254740993.0',
];

/** What came out: a value, with a word about lost digits, or a code. */
interface Seen {
  readonly value?: unknown;
  readonly noted?: boolean;
  readonly code?: string;
}

const python = usePython();
const engine = fakeEngineForEach();
let broker: Emulator;
const bus = () => context({ bus: { type: 'nats', data: { nats_url: broker.url } } });
let postgres: PostgresTool;
let server: http.Server;
let body = '';
const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeAll(async () => {
  [postgres, broker] = await Promise.all([postgresTool(), needEmulator('nats')]);
  server = http.createServer((_request, response) =>
    response.setHeader('content-type', 'application/json').end(body),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
}, 400_000);
afterAll(async () => {
  await httpTool.close!();
  await duckdb.close!();
  server.close();
  broker.stop();
  await nats.close?.();
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

/** The result of a step, with what the compiler or the run said. */
function inTemplate(source: string): Seen {
  const steps = `workflow: [{step: start, tool: {kind: noop, input: {n: "${source}"}}}]`;
  const { plan, diagnostics } = compile(`${HEADER}${steps}\n`);
  if (!plan) return { code: diagnostics[0]!.code };
  const { result, error, events } = simulate(plan);
  if (error) return { code: error.code };
  return {
    value: (result as JsonObject)['n'],
    noted: diagnostics.length > 0 || events.some(({ event_type }) => event_type === 'step.note'),
  };
}
const row = (result: JsonObject): unknown => (result['rows'] as JsonObject[])[0]!['n'];

const DOORS: Readonly<Record<string, (n: string) => Seen | Promise<Seen>>> = {
  YAML: inYaml,
  'REST: a body': (n) => {
    const { value, rounded } = parseAs({ bytes: Buffer.from(`{"n": ${n}}`), format: 'json' });
    return { value: (value as JsonObject)['n'], noted: rounded !== undefined };
  },
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
  'container: JSON printed': (n) => {
    engine().ends = { stdout: `{"n": ${n}}\n`, stderr: '', code: 0 };
    return ofTool(
      run(container, { image: 'busybox:1', command: ['echo'] }),
      (result) => (result['data'] as JsonObject)['n'],
    );
  },
  'nats: a JSON value': async (n) => {
    const send = (operation: string, more: JsonObject) =>
      run(nats, { auth: 'bus', operation, bucket: 'numbers', key: 'n', ...more }, {}, bus());
    expect((await send('kv_put', { value: `{"n": ${n}}` })).error).toBeNull();
    return ofTool(send('kv_get', {}), (result) => (result['value'] as JsonObject)['n']);
  },
  'snowflake: VARIANT': (n) => {
    let noted = false;
    const value = snowflakeToJson(`{"n": ${n}}`, 'variant', () => void (noted = true));
    return { value: (value as JsonObject)['n'], noted };
  },
  'snowflake: `NUMBER`': (n) => ({ value: snowflakeToJson(n, 'fixed') }),
  'duckdb: JSON': (n) =>
    ofTool(run(duckdb, { command: `select '{"n": ${n}}'::json as n` }), (result) => {
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

/** A literal as the exact fraction `digits * 10 ** power`, without the code under test. */
function exact(literal: string): readonly [bigint, number] {
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return [BigInt(whole + fraction || '0'), Number(exponent) - fraction.length];
}

function isSame(a: string, b: string): boolean {
  const [[x, p], [y, q]] = [exact(a), exact(b)];
  const least = Math.min(p, q);
  return x * 10n ** BigInt(p - least) === y * 10n ** BigInt(q - least);
}

/** Numbers of any length, near the limits and far from them. */
function literals(count: number): string[] {
  let seed = 20260311;
  const below = (n: number): number => (seed = (seed * 48271) % 2147483647) % n;
  const digits = (n: number): string =>
    Array.from({ length: n }, () => below(10))
      .join('')
      .replace(/^0+(?=\d)/, '') || '0';
  return Array.from({ length: count }, () => {
    const sign = below(3) === 0 ? '-' : '';
    if (below(3) === 0) return sign + digits(1 + below(24));
    if (below(6) === 0) return sign + (2n ** 53n + BigInt(below(5) - 2)).toString();
    const exponent = below(3) === 0 ? `e${below(2) ? '-' : ''}${below(280)}` : '';
    return `${sign}${digits(1 + below(12))}.${'0'.repeat(below(3))}${digits(1 + below(18))}${exponent}`;
  });
}

test('of random numbers, each door keeps every digit or says that it does not', async () => {
  const doors = [
    'REST: a body',
    '`--payload`',
    '`fromjson`',
    'a literal in a template',
    'YAML',
    'snowflake: VARIANT',
  ];
  for (const n of literals(400)) {
    const isInteger = /^-?\d+$/.test(n);
    for (const name of doors) {
      const { value, noted, code } = await seenAt(DOORS[name]!, n);
      // Of an expression, a large integer is no result, and its minus is an operation.
      if (code !== undefined) {
        expect([name, n, isInteger && Math.abs(Number(n)) >= 2 ** 53 ? 'NT4112' : 'a value']).toEqual([
          name,
          n,
          code,
        ]);
        continue;
      }
      const isKept = isSame(n, typeof value === 'number' ? String(value) : (value as string));
      if (isInteger) expect([name, n, isKept]).toEqual([name, n, true]);
      else expect([name, n, noted]).toEqual([name, n, !isKept]);
    }
  }
});

/** History, tables and every document of JSON keep what came in. */
function expectKept(value: Json): void {
  if (value === undefined) return;
  expect(payloadConverter.fromPayload(payloadConverter.toPayload({ value })!)).toEqual({ value });
  expect(JSON.parse(jsonText({ value }))).toEqual({ value });
}
