/** A kind of tool is a folder and a row, and no other module names it. */
import fs from 'node:fs';
import path from 'node:path';
import { type KindDeclaration } from '../../src/language/kinds/declaration';
import { type Tool } from '../framework/tool/tool';
import { registry } from '../registry';
import { KIND_TABLE } from '../../src/language/kinds/table';

const ROOT = path.resolve(__dirname, '../..');
const kinds = Object.entries(KIND_TABLE as Readonly<Record<string, KindDeclaration>>);

test('each folder has its row', () => {
  const folders = fs.readdirSync(__dirname, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(kinds.map(([kind]) => kind).sort()).toEqual(folders.map(({ name }) => name).sort());
});

test.each(kinds)('%s: its folder has what the name promises', (kind) => {
  const { [kind]: tool } = jest.requireActual<Record<string, Tool>>(`./${kind}/run`);
  expect(tool?.kind).toBe(kind);
  expect(registry.get(kind)?.takesNoSecrets).toBe(tool?.takesNoSecrets);
  for (const file of [
    `docs/tools/${kind}.md`,
    `test/kinds/${kind}.ts`,
    `playbooks/tools/${kind}.yaml`,
    `playbooks/tools/${kind}.rehearsal.yaml`,
  ])
    expect(fs.existsSync(path.join(ROOT, file))).toBe(true);
});

test.each(kinds)('%s: what it says of its fields are fields', (_, about) => {
  const { required, exclusive = [], strict = [], sql = [], command = [], code = [], texts = [] } = about;
  const { types = {}, sides = [], modules, named } = about;
  const named_ = [modules, named].filter((field) => field !== undefined);
  const all = [required, exclusive, strict, sql, command, code, texts, sides, named_, Object.keys(types)];
  expect(all.flat(2).filter((field) => !Object.hasOwn(about.fields, field))).toEqual([]);
});

test.each(kinds)('%s: packages it loads on demand are optional dependencies', (_, { packages = [] }) => {
  const { optionalDependencies } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    optionalDependencies: Record<string, string>;
  };
  expect(packages.filter((name) => !Object.hasOwn(optionalDependencies, name))).toEqual([]);
});

test('the least that a kind answers is an answer of it', () => {
  for (const [, { mock }] of kinds) {
    for (const [word, value] of Object.entries(mock?.least ?? {})) {
      expect(Object.keys(mock!.words)).toContain(word);
      expect(mock!.wrong(word, value)).toBeUndefined();
    }
  }
});

/** Names of kinds that are words of their own elsewhere: there only a comparison names the kind. */
const WORDS = new Set([
  'http',
  'script',
  'shell',
  'container',
  'secrets',
  'transfer',
  'artifact',
  'mcp',
  'agent',
]);
/** Everything else knows a kind by its declaration only. */
const MODULES = ['src', 'workflows', 'activities/framework', 'console'].map((folder) =>
  path.join(ROOT, folder),
);
/** Where the word is not the kind: files, and beginnings of paths. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'src/language/kinds/table/': 'their declarations',
  'src/storage/blobs/': 'a store of large results',
  'src/cli/runtime/': 'the server, sink and type of credentials of this process',
  'src/server/projection/tables/': 'a sink',
  'src/server/store/': 'the server of the product itself',
  'activities/framework/credentials/environment.ts': 'a type of credentials',
  'src/language/dsl/schema/field-shapes.ts': 'a source of scripts: gcs',
  'src/server/facade/postgres/target.ts': 'the user and the database of a server',
  'src/server/facade/routes/index.ts': 'a tag of the API',
  'src/language/dsl/kinds.ts': 'other names of kinds',
  'src/language/dsl/document/agent': 'what the compiler makes of it',
  'src/language/dsl/document/cursor.ts': 'what the compiler makes of a claim',
  'src/server/facade/catalog/': 'a kind of resources',
  'src/server/facade/mcp/': 'a kind of resources',
  'src/server/facade/overview/tables.ts': 'a sink',
  'console/shell/palette.tsx': 'a kind of resources',
  'src/language/dsl/mcp-resource.ts': 'a kind of resources',
  'src/language/dsl/subscription/': 'sources of messages',
  'src/server/triggers/sources/': 'sources of messages',
  'src/service/names/fields.ts': 'the kind of most known fields',
  'src/service/assistant/tools/proving.ts': 'code that is executed',
  'src/cli/offline/test.ts': 'code that is executed',
  'src/cli/output/what-if-text.ts': 'code that is executed',
  'src/offline/proof/by-answers.ts': 'code that is executed',
  'src/offline/rehearsal/format/answers.ts': 'code that is executed',
  'src/offline/proof/deep/ways.ts': 'what has no HTTP status',
};

function sources(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!\.test)\.tsx?$/.test(name))
    .map((name) => path.join(folder, name));
}

test('no other module names a kind', () => {
  const named = MODULES.flatMap(sources).flatMap((file) => {
    const code = fs.readFileSync(file, 'utf8').replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
    const found = kinds.flatMap(([kind]) => {
      const compared = new RegExp(`\\bkind\\)? [!=]== '${kind}'`);
      const written = new RegExp(`'${kind}'|"${kind}"|^\\s*${kind}: [[{']`, 'm');
      return (WORDS.has(kind) ? compared : written).test(code) ? [kind] : [];
    });
    const at = path.relative(ROOT, file);
    return found.length > 0 && !Object.keys(ELSEWHERE).some((place) => at.startsWith(place))
      ? [`${at}: ${found.join(', ')}`]
      : [];
  });
  expect(named).toEqual([]);
});
