/** Every code of an error that the source names, with what it says: read from the syntax, so that the page cannot be wrong. */
import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { ROOT } from './process';

export interface ErrorUse {
  /** With `‹…›` for what is filled in; absent where it is put together elsewhere. */
  readonly message?: string;
  readonly hints: readonly string[];
  /** Of the source, from the root. */
  readonly file: string;
}

const CODE = /^(?!NT\d)[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/;
const THROWS = /error|problem|refus|fail|invalid|fault|full/i;
/** They ask for a code. */
const ASKS = /hasCode|startsWith|includes|has$/;
const HINTS = new Set(['hint', 'hints', 'fix']);
const SHORT = 30;

/** By code, in order. */
export function errorCodes(): ReadonlyMap<string, readonly ErrorUse[]> {
  const found = new Map<string, ErrorUse[]>();
  for (const folder of ['src', 'activities', 'workflows'])
    for (const name of fs
      .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .sort()) {
      if (!/\.ts$/.test(name) || /\.test\.ts$/.test(name)) continue;
      const file = `${folder}/${name}`;
      const text = fs.readFileSync(path.join(ROOT, file), 'utf8');
      visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true), (node) => {
        const use = useOf(node);
        if (use) found.set(use.code, [...(found.get(use.code) ?? []), { ...use, file }]);
      });
    }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function visit(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node);
  ts.forEachChild(node, (one) => visit(one, look));
}

function useOf(node: ts.Node): (Omit<ErrorUse, 'file'> & { code: string }) | undefined {
  if (ts.isNewExpression(node) || ts.isCallExpression(node)) {
    if (ASKS.test(node.expression.getText())) return undefined;
    const given = [...(node.arguments ?? [])];
    const code = given.map(codeOf).find((one) => one !== undefined);
    if (code === undefined) return undefined;
    const said = given.find((one) => codeOf(one) === undefined && /\s/.test(textOf(one) ?? ''));
    if (!said && !THROWS.test(node.expression.getText())) return undefined;
    const rest = given.filter((one) => one !== said && codeOf(one) === undefined && !isTextual(one));
    return { code, ...(said && { message: textOf(said)! }), hints: rest.flatMap(hintsOf) };
  }
  if (!ts.isObjectLiteralExpression(node)) return undefined;
  const value = (key: string): ts.Expression | undefined =>
    propertiesOf(node).find(([name]) => name === key)?.[1];
  const code = codeOf(value('code'));
  const message = textOf(value('message'));
  return code === undefined ? undefined : { code, ...(message && { message }), hints: hintsOf(node) };
}

function codeOf(node: ts.Node | undefined): string | undefined {
  return node && ts.isStringLiteralLike(node) && CODE.test(node.text) && node.text.length > 3
    ? node.text
    : undefined;
}

const isTextual = (node: ts.Node): boolean => textOf(node) !== undefined;

function textOf(node: ts.Node | undefined): string | undefined {
  if (!node) return undefined;
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isParenthesizedExpression(node)) return textOf(node.expression);
  if (ts.isIdentifier(node)) return textOf(declared(node));
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.map(({ expression, literal }) => {
      const name = expression.getText();
      return `‹${name.length < SHORT && /^[\w.]+$/.test(name) ? name : '…'}›${literal.text}`;
    });
    return node.head.text + spans.join('');
  }
  if (ts.isConditionalExpression(node)) {
    const [yes, no] = [textOf(node.whenTrue), textOf(node.whenFalse)];
    return yes !== undefined && no !== undefined ? `${yes} / ${no}` : undefined;
  }
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return undefined;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  return left !== undefined && right !== undefined ? left + right : undefined;
}

/** What a constant of the blocks around it, or of the file, begins with. */
function declared(name: ts.Identifier): ts.Expression | undefined {
  for (let block: ts.Node = name.parent; block; block = block.parent) {
    if (!ts.isBlock(block) && !ts.isSourceFile(block)) continue;
    for (const statement of block.statements) {
      if (!ts.isVariableStatement(statement)) continue;
      const one = statement.declarationList.declarations.find((each) => each.name.getText() === name.text);
      if (one?.initializer && !ts.isIdentifier(one.initializer)) return one.initializer;
    }
  }
  return undefined;
}

function propertiesOf(node: ts.ObjectLiteralExpression): (readonly [string, ts.Expression])[] {
  return node.properties
    .filter((one) => ts.isPropertyAssignment(one) || ts.isShorthandPropertyAssignment(one))
    .map((one) => [one.name.getText(), ts.isPropertyAssignment(one) ? one.initializer : one.name] as const);
}

function hintsOf(node: ts.Node): string[] {
  if (ts.isArrayLiteralExpression(node)) return node.elements.map(textOf).filter((one) => one !== undefined);
  if (!ts.isObjectLiteralExpression(node)) return [];
  return propertiesOf(node)
    .filter(([name]) => HINTS.has(name))
    .flatMap(([, value]) => (ts.isArrayLiteralExpression(value) ? hintsOf(value) : [textOf(value)]))
    .filter((one) => one !== undefined);
}
