import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const ROOT = path.resolve(__dirname, '../..');
const FOLDERS = ['src', 'activities', 'workflows'];

/**
 * How often, per 1,000 lines, the code tells the compiler what it cannot check, and names a value after what happened to
 * it (`found`) instead of what it is (`entry`). The numbers here only go down.
 */
const ALLOWED = { nonNull: 8.4, assertions: 8.0, participles: 5.1 };
/** More than this below them, and the lower number is to be written above. */
const SLACK = 0.3;

const PARTICIPLES: ReadonlySet<string> = new Set(['found', 'known', 'said', 'told', 'held', 'asked']);

/** The name of a variable, parameter or property that is declared here. */
function declaredBy(node: ts.Node): string | undefined {
  const isValue =
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isBindingElement(node) ||
    ts.isPropertySignature(node) ||
    ts.isPropertyDeclaration(node);
  return isValue && ts.isIdentifier(node.name) ? node.name.text : undefined;
}

/** `x!`, `x as T` and such names in the sources, tests left out; `as const` asserts nothing. */
function count(): typeof ALLOWED {
  const counts = { nonNull: 0, assertions: 0, participles: 0 };
  let lines = 0;
  const visit = (node: ts.Node): void => {
    if (ts.isNonNullExpression(node)) counts.nonNull += 1;
    if (ts.isAsExpression(node) && !ts.isConstTypeReference(node.type)) counts.assertions += 1;
    if (PARTICIPLES.has(declaredBy(node) ?? '')) counts.participles += 1;
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
  const perThousand = (number: number): number => (1000 * number) / lines;
  return {
    nonNull: perThousand(counts.nonNull),
    assertions: perThousand(counts.assertions),
    participles: perThousand(counts.participles),
  };
}

const counted = count();

test.each(['nonNull', 'assertions', 'participles'] as const)('%s become fewer', (kind) => {
  const perThousandLines = counted[kind];
  expect(perThousandLines).toBeLessThanOrEqual(ALLOWED[kind]);
  expect(perThousandLines).toBeGreaterThanOrEqual(ALLOWED[kind] - SLACK);
});
