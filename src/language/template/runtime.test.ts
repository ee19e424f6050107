import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Every file of code that a module imports, directly or through others. */
function closure(file: string, seen = new Map<string, string>()): Map<string, string> {
  if (seen.has(file)) return seen;
  const source = readFileSync(file, 'utf8');
  seen.set(file, source);
  for (const [, from = ''] of source.matchAll(/^(?:import|export)[^;]*? from '([^']+)';/gm)) {
    const path = join(dirname(file), from);
    const target = [`${path}.ts`, join(path, 'index.ts')].find(existsSync);
    if (from.endsWith('.json') && existsSync(path)) continue;
    if (!from.startsWith('.') || target === undefined) seen.set(from, '');
    else closure(target, seen);
  }
  return seen;
}

describe('the evaluate half', () => {
  const files = closure(join(__dirname, 'runtime.ts'));

  it('imports its own files, the base of errors and digests only: no nunjucks, no Node', () => {
    expect(files.size).toBeGreaterThan(30);
    const errors = join(__dirname, '../errors/');
    const others = [...files.keys()].filter(
      (file) => !file.startsWith(__dirname) && !file.startsWith(errors),
    );
    expect(others.filter((file) => !file.startsWith('@noble/hashes/'))).toEqual([]);
    expect([...files.keys()].filter((file) => file.includes('/parse/'))).toEqual([]);
  });

  it('generates no code and asks no clock', () => {
    const forbidden =
      /new Function|\beval\(|\bDate\b(?!Time)|Math\.random|\bBuffer\b|\bprocess\.|\brequire\(/;
    for (const [file, source] of files) {
      const code = source.replace(/\/\*[\s\S]*?\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'/g, '');
      expect([file, forbidden.exec(code)?.[0]]).toEqual([file, undefined]);
    }
  });
});
