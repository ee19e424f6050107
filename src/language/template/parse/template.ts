import { TemplateError, TemplateSyntaxError } from '../errors';
import { type ExpressionTemplate, type Template } from '../ir';
import { JinjaLexer } from './lexer';
import { TemplateParser } from './statements';

/** Position of a template: returns line and column (1-based) in the document for an offset inside the string. */
export interface ParseOptions {
  readonly locate?: (offset: number) => readonly [number, number];
  /** Previously parsed templates by source: playbooks repeat conditions, and each is parsed once. */
  readonly cache?: Map<string, Template>;
}

/** Longer strings are data, not templates. */
const maxSource = 1 << 20;

/**
 * Compiles a string of a playbook. A string that is exactly one `{{ … }}` becomes an expression with a native
 * value, any other becomes text.
 *
 * @throws TemplateSyntaxError with offset and, given `locate`, the position in the document.
 */
export function parseTemplate(source: string, options: ParseOptions = {}): Template {
  return compile<Template>(source, options, () => {
    const before = options.cache?.get(source);
    if (before !== undefined) return before;
    const body = new TemplateParser(new JinjaLexer(source)).template();
    const [first, ...rest] = body;
    const template: Template =
      first?.op === 'out' && rest.length === 0 && isSoleTag(source)
        ? { kind: 'expression', expr: first.e, source }
        : { kind: 'text', body, source };
    options.cache?.set(source, template);
    return template;
  });
}

/**
 * Compiles a bare expression, written without `{{ }}` (a `when` may hold one).
 *
 * @throws TemplateSyntaxError as `parseTemplate` does.
 */
export function parseExpression(source: string, options: ParseOptions = {}): ExpressionTemplate {
  return compile(source, options, () => {
    const expr = new TemplateParser(new JinjaLexer(source, 'expression')).soleExpression();
    return { kind: 'expression', expr, source };
  });
}

/** Whether a string contains template syntax. */
export function hasTemplateSyntax(source: string): boolean {
  return /\{[{%#]/.test(source);
}

/** Excludes `{% print x %}` and comments beside the tag: only a string that is one `{{ … }}` has a native value. */
function isSoleTag(source: string): boolean {
  return source.startsWith('{{') && /\}\}(?:\r?\n|\r)?$/.test(source);
}

function compile<T extends Template>(source: string, options: ParseOptions, parse: () => T): T {
  const place = options.locate ? placeOf(source, options.locate) : {};
  try {
    if (source.length > maxSource) {
      throw new TemplateSyntaxError(
        'tooComplex',
        `a template of ${String(source.length)} characters is too long`,
      );
    }
    return { ...parse(), ...place };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const offset = error.offset ?? 0;
    delete error.offset;
    throw error.locate({ source, ...place }, offset);
  }
}

/** Locates each word of the source, and keeps only the points that do not follow from the previous one. */
function placeOf(
  source: string,
  locate: (offset: number) => readonly [number, number],
): Pick<Template, 'at' | 'map'> {
  const at = locate(0);
  const end = locate(source.length);
  // Each character takes at least one column, so if the end is at its expected position, all characters are.
  if (end[0] === at[0] && end[1] === at[1] + source.length && !source.includes('\n')) return { at };
  const map: [number, number, number][] = [];
  let [start, line, column]: readonly [number, number, number] = [0, at[0], at[1]];
  for (const { index } of source.matchAll(/\S+/g)) {
    const [l, c] = locate(index);
    const linear = !source.slice(start, index).includes('\n') && l === line && c === column + index - start;
    if (linear) continue;
    [start, line, column] = [index, l, c];
    map.push([index, l, c]);
  }
  return map.length > 0 ? { at, map } : { at };
}
