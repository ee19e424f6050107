import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const ROOT = path.resolve(__dirname, '../..');
const FOLDERS = ['src', 'activities', 'workflows', 'console'];

/** How often, per 1,000 lines, the code tells the compiler what it cannot check. They go down, unless lines without them go. */
const ALLOWED = { nonNull: 8.5, assertions: 8.2 };
/** More than this below them, and the lower number is to be written above. */
const SLACK = 0.3;

/** Names that tell what happened to a value (`found`) instead of what it is (`entry`). */
const PARTICIPLES: ReadonlySet<string> = new Set(
  'found known said told held asked meant made came wanted gone looked heard lent'.split(' '),
);

const sources = FOLDERS.flatMap((folder) =>
  fs
    .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!\.test)\.tsx?$/.test(name))
    .map((name) => {
      const file = path.join(folder, name);
      return ts.createSourceFile(
        file,
        fs.readFileSync(path.join(ROOT, file), 'utf8'),
        ts.ScriptTarget.Latest,
      );
    }),
);

/** The name of a variable, parameter, property, function or type that is declared here. */
function declaredBy(node: ts.Node): string | undefined {
  const isNamed =
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isBindingElement(node) ||
    ts.isPropertySignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node);
  return isNamed && node.name && ts.isIdentifier(node.name) ? node.name.text.toLowerCase() : undefined;
}

/** `x!`, `x as T` (`as const` asserts nothing) and names of `PARTICIPLES` in the sources, tests left out. */
function count(): { nonNull: number; assertions: number; participles: string[] } {
  const counts = { nonNull: 0, assertions: 0, participles: [] as string[] };
  for (const source of sources) {
    const visit = (node: ts.Node): void => {
      if (ts.isNonNullExpression(node)) counts.nonNull += 1;
      if (ts.isAsExpression(node) && !ts.isConstTypeReference(node.type)) counts.assertions += 1;
      const name = declaredBy(node) ?? '';
      if (PARTICIPLES.has(name)) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
        counts.participles.push(`${source.fileName}:${line + 1} ${name}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return counts;
}

const lines = sources.reduce((sum, { text }) => sum + text.split('\n').length, 0);
const counted = count();

test.each(['nonNull', 'assertions'] as const)('%s become fewer', (kind) => {
  const perThousandLines = (1000 * counted[kind]) / lines;
  expect(perThousandLines).toBeLessThanOrEqual(ALLOWED[kind]);
  expect(perThousandLines).toBeGreaterThanOrEqual(ALLOWED[kind] - SLACK);
});

test('a name says what a value is, not what happened to it', () => {
  expect(counted.participles).toEqual([]);
});
