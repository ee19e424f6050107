import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const ROOT = path.resolve(__dirname, '../..');
const FOLDERS = ['src', 'activities', 'workflows'];

/** How often the code tells the compiler what it cannot check, per 1,000 lines. The numbers here only go down. */
const ALLOWED = { nonNull: 8.4, assertions: 8.0 };
/** More than this below them, and the lower number is to be written above. */
const SLACK = 0.3;

/** `x!` and `x as T` in the sources, tests left out; `as const` asserts nothing. */
function count(): typeof ALLOWED {
  const found = { nonNull: 0, assertions: 0 };
  let lines = 0;
  const visit = (node: ts.Node): void => {
    if (ts.isNonNullExpression(node)) found.nonNull += 1;
    if (ts.isAsExpression(node) && !ts.isConstTypeReference(node.type)) found.assertions += 1;
    ts.forEachChild(node, visit);
  };
  for (const folder of FOLDERS) {
    for (const name of fs.readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue;
      const text = fs.readFileSync(path.join(ROOT, folder, name), 'utf8');
      lines += text.split('\n').length;
      visit(ts.createSourceFile(name, text, ts.ScriptTarget.Latest));
    }
  }
  return { nonNull: (1000 * found.nonNull) / lines, assertions: (1000 * found.assertions) / lines };
}

const counted = count();

test.each(['nonNull', 'assertions'] as const)(
  '%s: what the compiler is told without proof becomes less',
  (kind) => {
    const found = counted[kind];
    expect(found).toBeLessThanOrEqual(ALLOWED[kind]);
    expect(found).toBeGreaterThanOrEqual(ALLOWED[kind] - SLACK);
  },
);
