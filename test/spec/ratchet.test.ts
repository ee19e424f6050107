import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import ts from 'typescript';
import BUDGETS from './budgets.json';

const ROOT = path.resolve(__dirname, '../..');
const FOLDERS = ['src', 'activities', 'workflows', 'console'];

/** How often, per 1,000 lines, the code tells the compiler what it cannot check. They go down, unless lines without them go. */
const ALLOWED = { nonNull: 8.1, assertions: 7.8 };
/** More than this below them, and the lower number is to be written above. */
const SLACK = 0.3;

/** Names that two files export because somebody else asks for them by name. */
const ASKED_FOR: Readonly<Record<string, string>> = {
  interceptors: 'Temporal looks for it in each module of interceptors',
  plainConverter: 'the stand-in of the browser has the face of what it stands for',
};

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

/** Names that are everywhere: who declares one hides it. `gc` comes with an option that some tests set. */
const GLOBALS: ReadonlySet<string> = new Set([
  ...(vm.runInNewContext('Object.getOwnPropertyNames(globalThis)') as string[]).filter(
    (name) => name !== 'gc',
  ),
  ...'console process module require exports fetch performance crypto Buffer structuredClone queueMicrotask'.split(
    ' ',
  ),
  ...'setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate'.split(' '),
]);

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

test('no value is called as a global, and no import or export is empty', () => {
  const hiding: string[] = [];
  for (const source of sources) {
    const visit = (node: ts.Node): void => {
      const isValue =
        ts.isVariableDeclaration(node) ||
        ts.isParameter(node) ||
        ts.isBindingElement(node) ||
        ts.isFunctionDeclaration(node) ||
        ts.isImportSpecifier(node) ||
        ts.isImportClause(node);
      const { importClause } = ts.isImportDeclaration(node) ? node : {};
      const names = importClause?.namedBindings ?? (ts.isExportDeclaration(node) && node.exportClause);
      if (names && 'elements' in names && names.elements.length === 0)
        hiding.push(`${source.fileName}: ${node.getText(source)}`);
      if (isValue && node.name && ts.isIdentifier(node.name) && GLOBALS.has(node.name.text)) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
        hiding.push(`${source.fileName}:${line + 1} ${node.name.text}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  expect(hiding).toEqual([]);
});

test('a name says what a value is, not what happened to it', () => {
  expect(counted.participles).toEqual([]);
});

/** What a file declares and exports itself: names passed on from another file are not its own. */
function exportedBy({ statements }: ts.SourceFile): string[] {
  return statements.flatMap((statement) => {
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (!isExported) return [];
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name }) =>
        ts.isIdentifier(name) ? [name.text] : [],
      );
    const { name } = statement as ts.DeclarationStatement;
    return name && ts.isIdentifier(name) ? [name.text] : [];
  });
}

test('no name is exported by two files', () => {
  const files = new Map<string, Set<string>>();
  for (const source of sources)
    for (const name of exportedBy(source))
      files.set(name, (files.get(name) ?? new Set()).add(source.fileName));
  expect(files.size).toBeGreaterThan(3_000);
  const twice = [...files].filter(([name, places]) => places.size > 1 && !Object.hasOwn(ASKED_FOR, name));
  expect(twice.map(([name, places]) => `${name}: ${[...places].join(', ')}`)).toEqual([]);
});

interface Weight {
  readonly statements: number;
  /** With code: neither empty nor of comments only. */
  readonly lines: number;
  readonly rooms: number;
  /** Files of more than 300 lines. */
  readonly large: number;
}

function statementsIn(node: ts.Node): number {
  let sum = ts.isStatement(node) && !ts.isBlock(node) ? 1 : 0;
  ts.forEachChild(node, (child) => void (sum += statementsIn(child)));
  return sum;
}

/** By wing: `src/engine` or `workflows`. */
function weights(): Record<string, Weight> {
  const byWing = new Map<string, ts.SourceFile[]>();
  for (const source of sources) {
    const [top = '', second = ''] = source.fileName.split(path.sep);
    const wing = top === 'src' ? `src/${second}` : top;
    byWing.set(wing, [...(byWing.get(wing) ?? []), source]);
  }
  const weigh = (files: readonly ts.SourceFile[], depth: number): Weight => ({
    statements: files.reduce((sum, file) => sum + statementsIn(file), 0),
    lines: files.reduce(
      (sum, { text }) => sum + text.split('\n').filter((line) => !/^\s*(\/[/*]|\*|$)/.test(line)).length,
      0,
    ),
    rooms: new Set(
      files
        .map(({ fileName }) => fileName.split(path.sep))
        .filter(({ length }) => length > depth + 1)
        .map((parts) => parts[depth]),
    ).size,
    large: files.filter(({ text }) => text.split('\n').length > 300).length,
  });
  return Object.fromEntries(
    [...byWing].sort().map(([wing, files]) => [wing, weigh(files, wing.split('/').length)]),
  );
}

// Statements in fifties, lines in hundreds. A capability that needs more raises the budget of its wing in a commit that says why.
test('each wing keeps within its budget, which follows what becomes less', () => {
  const now = weights();
  const tooMuch = Object.entries(now).flatMap(([wing, weight]) =>
    Object.entries(weight).flatMap(([what, amount]) => {
      const allowed = (BUDGETS as Record<string, Record<string, number>>)[wing]?.[what] ?? 0;
      const isFar = amount > allowed || amount < allowed * 0.98 - 100;
      return isFar ? [`${wing}: ${amount} ${what}, budget ${allowed}`] : [];
    }),
  );
  expect({ tooMuch, budgets: tooMuch.length > 0 && now }).toEqual({ tooMuch: [], budgets: false });
});
