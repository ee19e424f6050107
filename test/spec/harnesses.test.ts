/** The table of harnesses in CONTRIBUTING.md names what is in test/support, and every `useX()` that is there. */
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from '../support/process';

const SUPPORT = path.join(ROOT, 'test/support');
const page = fs.readFileSync(path.join(ROOT, 'CONTRIBUTING.md'), 'utf8');
const table = page.slice(page.indexOf('| Harness |'), page.indexOf('Use the first one in the list'));
const firstCells = [...table.matchAll(/^\| (.+?) \|/gm)].slice(2).map(([, cell]) => cell!);

test('every harness that a test file calls at its top is named', () => {
  const exported = fs
    .readdirSync(SUPPORT)
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [
      ...fs.readFileSync(path.join(SUPPORT, file), 'utf8').matchAll(/^export function (use[A-Z]\w*)/gm),
    ])
    .map(([, name]) => name!);
  expect(exported.length).toBeGreaterThan(5);
  expect(exported.filter((name) => !table.includes(`\`${name}\``))).toEqual([]);
});

test('every named file, and every named function, is there', () => {
  expect(firstCells.length).toBeGreaterThan(20);
  const source = fs
    .readdirSync(SUPPORT)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => fs.readFileSync(path.join(SUPPORT, file), 'utf8'))
    .join('\n');
  const names = firstCells.flatMap((cell) => [...cell.matchAll(/`([\w/-]+)`/g)].map(([, name]) => name!));
  const isFile = (name: string): boolean =>
    [path.join(ROOT, name), path.join(SUPPORT, name), path.join(SUPPORT, `${name}.ts`)].some((file) =>
      fs.existsSync(file),
    );
  const isExported = (name: string): boolean =>
    new RegExp(`^export (async )?(function|const) ${name}\\b`, 'm').test(source);
  expect(names.filter((name) => !isFile(name) && !isExported(name))).toEqual([]);
});
