/**
 * What a release promised (docs/compatibility.md) holds in this tree. `test/releases/VERSION` is what `npm run release -- freeze`
 * recorded, `test/releases/next` what the next release will promise: UPDATE_REFERENCE=1 writes it, and the record of a version
 * that is not tagged yet.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ROOT } from '../support/process';
import { type JsonShape, shapeBreaks, shapeOf } from '../support/json-shape';
import { surfaceBreaks, surfaceOf } from '../support/surface';

type Breaks = (was: object, is: object) => string[];
const { openApiBreaks, schemaBreaks } = jest.requireActual<{ openApiBreaks: Breaks; schemaBreaks: Breaks }>(
  '../../scripts/release/schema-breaks.cjs',
);
const { apiBreaks } = jest.requireActual<{ apiBreaks: (former: string, present: string) => string[] }>(
  '../../scripts/release/api-breaks.cjs',
);

const RELEASES = path.join(ROOT, 'test', 'releases');
const NEXT = path.join(RELEASES, 'next');
const released = fs.readdirSync(RELEASES).filter((name) => /^\d/.test(name));
const json = (...at: string[]): object => JSON.parse(fs.readFileSync(path.join(...at), 'utf8')) as object;
const reference = (file: string): object => json(ROOT, 'docs', 'reference', file);

/** What breaks a promise and is meant to, by what the test says of it, with the reason. */
const ACCEPTED: Readonly<Record<string, string>> = {};
const unexpected = (found: readonly string[]): string[] =>
  found.filter((one) => !Object.hasOwn(ACCEPTED, one));

/** Until the version of package.json is tagged, its record follows the tree; then it is law. */
function recordUntagged(): void {
  const { version } = json(ROOT, 'package.json') as { version: string };
  const tags = execFileSync('git', ['tag', '--list', `v${version}`], { cwd: ROOT, encoding: 'utf8' });
  if (tags.trim() !== '') return;
  const folder = path.join(RELEASES, version);
  fs.rmSync(path.join(folder, 'api'), { recursive: true, force: true });
  fs.cpSync(NEXT, folder, { recursive: true });
  for (const file of ['openapi.json', 'playbook.schema.json', 'rehearsal.schema.json'])
    fs.copyFileSync(path.join(ROOT, 'docs', 'reference', file), path.join(folder, file));
}

/** The files of a folder, by name. */
function textsIn(folder: string): Record<string, string> {
  return Object.fromEntries(
    fs
      .readdirSync(folder)
      .sort()
      .map((file) => [file, fs.readFileSync(path.join(folder, file), 'utf8')]),
  );
}

jest.setTimeout(300_000);

let scratch: string;
beforeAll(() => {
  scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-api-'));
  const report = path.join(ROOT, 'scripts', 'release', 'api-report.mjs');
  execFileSync(process.execPath, [report, path.join(scratch, 'api')], { cwd: ROOT, stdio: 'pipe' });
  fs.symlinkSync(path.join(ROOT, 'node_modules'), path.join(scratch, 'node_modules'));
});
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

test('exported types and names are those that are recorded (UPDATE_REFERENCE=1 records them)', () => {
  const made = {
    api: textsIn(path.join(scratch, 'api')),
    surface: `${JSON.stringify(surfaceOf(), null, 2)}\n`,
  };
  if (process.env['UPDATE_REFERENCE'] === '1') {
    fs.rmSync(path.join(NEXT, 'api'), { recursive: true, force: true });
    fs.cpSync(path.join(scratch, 'api'), path.join(NEXT, 'api'), { recursive: true });
    fs.writeFileSync(path.join(NEXT, 'surface.json'), made.surface);
    recordUntagged();
  }
  expect(made.api).toEqual(textsIn(path.join(NEXT, 'api')));
  expect(made.surface).toBe(fs.readFileSync(path.join(NEXT, 'surface.json'), 'utf8'));
  for (const [what, names] of Object.entries(surfaceOf()))
    expect([what, Object.keys(names)]).not.toEqual([what, []]);
});

test('each metric is described, and what is described is one', () => {
  const page = fs.readFileSync(path.join(ROOT, 'docs', 'monitoring.md'), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `noetl_'));
  const described = rows.flatMap((row) => row.split('|')[1]!.match(/noetl_\w+/g)!);
  expect(Object.keys(surfaceOf()['metrics']!)).toEqual([...described].sort());
});

describe.each(released)('what %s promised', (version) => {
  const folder = path.join(RELEASES, version);

  test('programs that were compiled against its types still are', () => {
    expect(unexpected(apiBreaks(path.join(folder, 'api'), path.join(scratch, 'api')))).toEqual([]);
  });

  test('clients of its REST API are answered as they expect', () => {
    expect(unexpected(openApiBreaks(json(folder, 'openapi.json'), reference('openapi.json')))).toEqual([]);
  });

  test.each(['playbook.schema.json', 'rehearsal.schema.json'])('what %s accepts is accepted', (file) => {
    expect(unexpected(schemaBreaks(json(folder, file), reference(file)))).toEqual([]);
  });

  test('commands, codes, events, metrics and other names are there, and costs and migrations as they were', () => {
    expect(unexpected(surfaceBreaks(json(folder, 'surface.json'), surfaceOf()))).toEqual([]);
  });

  test('documents that commands print for scripts have the fields that they had', () => {
    const [was, is] = [folder, NEXT].map((where) => json(where, 'documents.json') as JsonShape);
    expect(unexpected(shapeBreaks(was!, is))).toEqual([]);
  });
});

test('of documents that commands print, a field that is gone, and one of another type; not what is more, or null', () => {
  const was = shapeOf({
    id: '1',
    at: null,
    rows: [{ a: 1, b: 2 }, { a: null }],
    result: { mine: 1 },
    none: [],
  });
  expect(was).toEqual({ id: 'string', at: 'null', rows: [{ a: 'number' }], result: 'any', none: [] });
  const is = { id: null, at: 1, rows: [{ a: 1, c: 3 }], result: 7, none: [1], more: 1 };
  expect(shapeBreaks(was, shapeOf(is))).toEqual([]);
  expect(shapeBreaks(was, shapeOf({ ...is, rows: [{ c: 3 }], none: {}, id: 1 }))).toEqual([
    'id was "string" and is "number"',
    'rows[] › a is gone',
    'none was [] and is {}',
  ]);
  expect(shapeBreaks({ status: was }, {})).toEqual(['status is gone']);
});

/** Written to a report of its own. */
function reported(name: string, index: string, extension: string): string {
  const folder = path.join(scratch, name);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'index.d.ts'), index);
  fs.writeFileSync(path.join(folder, 'extension.d.ts'), extension);
  return folder;
}

test('of types, what is gone, what is other than it was, and a duty more of those who implement them', () => {
  const former = reported(
    'former',
    `export interface Read { readonly a: string; readonly b?: number }
     export interface Less { readonly a: string; readonly b: number }
     export declare class Engine { run(speed: number): Read; stop(): void }
     export declare function compile(text: string, options?: { strict?: boolean }): Read;
     export declare function ask(text: string, options?: { strict?: boolean }): Read;
     export declare function gone(): void;
     export type List<T> = readonly T[];`,
    'export interface Tool { run(call: { id: string }): Promise<string> } export interface Easier { a: string }',
  );
  const present = reported(
    'present',
    `export interface Read { readonly a: string; readonly b?: number; readonly c: 1 }
     export interface Less { readonly b: number }
     export declare class Engine { run(speed: number): Read }
     export declare function compile(text: string, options?: { strict?: boolean; lax?: boolean }): Read;
     export declare function ask(text: string, options: { strict?: boolean }): Read;
     export declare function more(): void;
     export type List<T, U> = readonly (T | U)[];`,
    'export interface Tool { stop(): void; run(call: { id: string }): Promise<string> } export interface Easier { a?: string }',
  );
  expect(apiBreaks(former, present).sort()).toEqual([
    expect.stringMatching(/^extension: Tool: Property 'stop' is missing/),
    expect.stringMatching(/^index: Engine: Property 'stop' is missing/),
    expect.stringMatching(/^index: Engine: Property 'stop' is missing/),
    expect.stringMatching(/^index: Less: Property 'a' is missing/),
    'index: List has other type parameters',
    expect.stringMatching(/^index: ask: Type 'undefined' is not assignable/),
    'index: gone is gone',
  ]);
});

interface Shape {
  type: string;
  properties: Record<string, { type?: string | string[]; enum?: number[] }>;
  required: string[];
}
interface Parts {
  readonly all: Record<string, object>;
  readonly post: { parameters: { in: string; name: string; schema: object; required?: true }[] };
  readonly body: Shape;
  readonly answer: Shape;
}

/** An operation that takes a parameter and a body, and answers one. */
function openApi(change: (parts: Parts) => void = () => undefined): object {
  const body: Shape = {
    type: 'object',
    properties: { path: { type: 'string' }, n: { enum: [1, 2] } },
    required: ['path'],
  };
  const answer: Shape = {
    type: 'object',
    properties: { id: { type: 'string' }, at: { type: 'integer' } },
    required: ['id'],
  };
  const post: Parts['post'] & object = {
    parameters: [{ in: 'query', name: 'dry', schema: { type: 'boolean' } }],
    ...{ requestBody: { content: { 'application/json': { schema: body } } } },
    ...{
      responses: {
        '200': { content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } } },
      },
    },
  };
  const all = { '/run': { post } };
  change({ all, post, body, answer });
  return { paths: all, components: { schemas: { A: answer } } };
}

test.each<[string, (parts: Parts) => void, string[]]>([
  ['an operation', ({ all }) => delete all['/run'], ['POST /run is gone']],
  ['a parameter', ({ post }) => post.parameters.pop(), ['POST /run: query dry is gone']],
  ['a duty', ({ post }) => (post.parameters[0]!.required = true), ['POST /run: query dry is required now']],
  [
    'a field of the body',
    ({ body }) => delete body.properties['n'],
    ['POST /run body application/json.n is gone'],
  ],
  [
    'another duty',
    ({ body }) => body.required.push('n'),
    ['POST /run body application/json.n is required now'],
  ],
  [
    'a word',
    ({ body }) => body.properties['n']!.enum!.pop(),
    ['POST /run body application/json.n: 2 is gone'],
  ],
  [
    'a type',
    ({ body }) => (body.properties['path']!.type = 'integer'),
    ['POST /run body application/json.path: string is no longer accepted'],
  ],
  [
    'a field of the answer',
    ({ answer }) => delete answer.properties['at'],
    ['POST /run 200 application/json.at is gone'],
  ],
  [
    'what was certain',
    ({ answer }) => answer.required.pop(),
    ['POST /run 200 application/json.id may be missing now'],
  ],
  [
    'a type of the answer',
    ({ answer }) => (answer.properties['at']!.type = ['integer', 'null']),
    ['POST /run 200 application/json.at: null is a new type'],
  ],
  [
    'nothing: a field more of each',
    ({ body, answer }) =>
      Object.assign(body.properties, { more: {} }, Object.assign(answer.properties, { more: {} }) && {}),
    [],
  ],
])('of a REST API, %s', (_what, change, expected) => {
  expect(openApiBreaks(openApi(), openApi(change))).toEqual(expected);
});

test('of names, one that is gone, one that changed, and a field that a kind requires', () => {
  const was = { commands: { run: { options: { '--json': true } } }, kinds: { http: { url: 'required' } } };
  const is = {
    commands: { run: { options: {} } },
    kinds: { http: { url: 'optional', body: 'required' } },
    more: {},
  };
  expect(surfaceBreaks(was, is)).toEqual([
    'commands › run › options › --json is gone',
    'kinds › http › url was "required" and is "optional"',
    'kinds › http › body is required now',
  ]);
});
