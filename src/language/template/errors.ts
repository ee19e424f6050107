import { CodedError } from '../errors';
import { type Template } from './ir';

/**
 * Errors of templates, by stable code. NT40xx: cannot be parsed; NT41xx: cannot be evaluated; NT42xx: stopped by a
 * limit.
 */
export const templateErrorCodes = {
  syntax: 'NT4001',
  tooComplex: 'NT4002',
  unsupportedTag: 'NT4003',
  unknownCallable: 'NT4101',
  unknownFilter: 'NT4102',
  unknownTest: 'NT4103',
  unknownMethod: 'NT4104',
  wrongArguments: 'NT4105',
  wrongType: 'NT4110',
  undefinedValue: 'NT4111',
  wrongValue: 'NT4112',
  wrongPattern: 'NT4113',
  noEnvironment: 'NT4120',
  tooManySteps: 'NT4201',
  tooMuchOutput: 'NT4202',
  tooDeep: 'NT4203',
  internal: 'NT4999',
} as const;

export type TemplateErrorKind = keyof typeof templateErrorCodes;

/**
 * A template that could not be evaluated. `message` excludes the position; `offset` is the position inside
 * `source`, `at` the corresponding one in the YAML document, if known.
 */
export class TemplateError extends CodedError {
  offset?: number;
  source = '';

  constructor(kind: TemplateErrorKind, message: string) {
    super(templateErrorCodes[kind], message);
  }

  /** Sets the position once: the innermost template that knows it takes precedence. */
  locate(template: Pick<Template, 'source' | 'at' | 'map'>, offset: number): this {
    if (this.offset !== undefined) return this;
    this.offset = Math.min(offset, template.source.length);
    this.source = template.source;
    const at = positionOf(template, this.offset);
    if (at) this.at = at;
    return this;
  }
}

/** Whether an evaluation was stopped by a limit: unlike other errors, this is never ignored. */
export function isOfLimit(error: unknown): boolean {
  return error instanceof TemplateError && error.code.startsWith('NT42');
}

/** A template that could not be parsed. */
export class TemplateSyntaxError extends TemplateError {}

/**
 * Line and column in the YAML document of an offset inside the template's source, if the template has a position.
 */
function positionOf(
  template: Pick<Template, 'source' | 'at' | 'map'>,
  offset: number,
): [number, number] | undefined {
  if (!template.at) return undefined;
  let [start, line, column]: readonly [number, number, number] = [0, ...template.at];
  for (const segment of template.map ?? []) {
    if (segment[0] > offset) break;
    [start, line, column] = segment;
  }
  const before = template.source.slice(start, offset);
  const newlines = before.split('\n').length - 1;
  if (newlines === 0) return [line, column + before.length];
  return [line + newlines, before.length - before.lastIndexOf('\n')];
}

/**
 * The message with its position, the offending line of the template and a caret under the spot:
 *
 *     unknown filter 'uper': did you mean 'upper'? (NT4102, line 12, column 9)
 *       {{ name | uper }}
 *                 ^
 */
export function formatTemplateError(error: TemplateError): string {
  const place = error.at ? `, line ${String(error.at[0])}, column ${String(error.at[1])}` : '';
  const head = `${error.message} (${error.code}${place})`;
  if (error.offset === undefined) return head;
  const lineStart = error.source.slice(0, error.offset).lastIndexOf('\n') + 1;
  const nextBreak = error.source.indexOf('\n', error.offset);
  const line = error.source.slice(lineStart, nextBreak < 0 ? undefined : nextBreak);
  // A long line is truncated around the spot, so that snippet and caret stay readable in a terminal.
  const from = Math.max(0, error.offset - lineStart - 60);
  const snippet = line.slice(from, from + 110).replace(/\t/g, ' ');
  return `${head}\n  ${snippet}\n  ${' '.repeat(error.offset - lineStart - from)}^`;
}
