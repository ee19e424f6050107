/**
 * The official CLI says what the official parser takes (`noetl schema`): each key compiles and does something, or
 * docs/noetl.md says why not.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import YAML from 'yaml';
import { compile } from '../../src/language/dsl';
import { meaningOf } from '../../src/language/dsl/upgrade/same';
import { OFFICIAL_DIFFERENCES } from '../support/official-keys';
import { type OfficialKey, officialKeys } from '../support/official-schema';
import { present } from '../support/present';
import { ROOT } from '../support/process';
import { pythonVenv } from '../support/python-venv';

const listed = new Set(OFFICIAL_DIFFERENCES.flatMap((group) => group.keys));

describe('the schema of the official CLI', () => {
  let keys: OfficialKey[];

  beforeAll(async () => {
    const { bin } = present(await pythonVenv(['noetl==5.3.2']));
    const said = spawnSync(path.join(bin, 'noetl'), ['schema'], { encoding: 'utf8', maxBuffer: 2 ** 24 });
    keys = officialKeys(JSON.parse(said.stdout) as Record<string, unknown>);
  }, 400_000);

  test('the schema has what the samples are made for', () => {
    expect(keys.length).toBeGreaterThan(120);
  });

  test('each key of the official schema does something, or the table says why not', () => {
    const verdicts = keys.map((key) => [key.id, verdictOf(key)] as const);
    const byKey = new Map<string, Set<string>>();
    for (const [id, verdict] of verdicts) {
      const key = id.split('=')[0]!;
      byKey.set(key, (byKey.get(key) ?? new Set()).add(verdict));
    }
    // The default of a word does not change a plan: the others must.
    const without = verdicts.filter(([id, verdict]) => {
      const others = byKey.get(id.split('=')[0]!)!;
      return verdict !== 'read' && !(verdict === 'no effect' && others.has('read'));
    });
    const found = without.filter(([id]) => !isListed(id)).map((each) => each.join(': '));
    expect(found).toEqual([]);
  });

  test('the table names no key that does something', () => {
    const ids = new Set(keys.flatMap(({ id }) => [id, id.split('=')[0]!, `${id.split('.')[0]!}.*`]));
    const unknown = [...listed].filter((id) => !ids.has(id));
    const read = keys.filter((key) => isListed(key.id) && verdictOf(key) === 'read').map(({ id }) => id);
    expect({ unknown, read }).toEqual({ unknown: [], read: [] });
  });
});

function isListed(id: string): boolean {
  return [id, id.split('=')[0]!, `${id.split('.')[0]!}.*`].some((each) => listed.has(each));
}

function verdictOf({ uses, without, id }: OfficialKey): 'read' | 'refused' | 'no effect' {
  const { plan, diagnostics } = compile(YAML.stringify(uses));
  if (plan === undefined) return 'refused';
  const key = id.split(/[.=]/)[1]!;
  const isUnread = (code: string, message: string): boolean =>
    code === 'NT2090' || (/^NT20(02|07|52)$/.test(code) && message.includes(`\`${key}\``));
  if (diagnostics.some(({ code, message }) => isUnread(code, message))) return 'no effect';
  if (YAML.stringify(uses) === YAML.stringify(without)) return 'read';
  const other = compile(YAML.stringify(without)).plan;
  if (other === undefined) throw new Error(`${id}: the playbook without it does not compile`);
  return meaningOf(plan) === meaningOf(other) ? 'no effect' : 'read';
}

test('docs/noetl.md has the table (UPDATE_REFERENCE=1 writes it)', () => {
  const file = path.join(ROOT, 'docs', 'noetl.md');
  const text = fs.readFileSync(file, 'utf8');
  const rows = OFFICIAL_DIFFERENCES.map(
    ({ keys: of, here }) => `| ${of.map((key) => `\`${key}\``).join(', ')} | ${here} |`,
  );
  const table = ['| Keys | Here |', '|---|---|', ...rows, ''].join('\n');
  const made = text.replace(/(<!-- official keys -->\n)[^]*?(?=<!-- end -->)/, `$1${table}`);
  if (process.env['UPDATE_REFERENCE'] === '1') fs.writeFileSync(file, made);
  expect(fs.readFileSync(file, 'utf8')).toBe(made);
});
