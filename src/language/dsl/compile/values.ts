import { hasTemplateSyntax, parseExpression, parseTemplate } from '../../template';
import { type Json, type SourcePosition, type PlanValue } from '../../plan';
import { TemplateSyntaxError } from '../../template/errors';
import { type Stmt, type Template } from '../../template/ir';
import { type TemplatePlace } from '../check/place';
import { type ReferenceCheck } from '../check/references';
import { type DiagnosticCode } from '../diagnostics/codes';
import { type Located, type Report } from '../diagnostics/diagnostic';
import { inQuotes } from '../fixes/words';
import { withTokens } from './tokens';
import { type LineIndex } from '../yaml/lines';
import { type MapEntry, inside, type YamlNode, type ScalarNode } from '../yaml/node';

/** Compiles YAML data to values of the Plan: parses and checks templates; everything else is constant. */
export class Values {
  /** A scalar is parsed once, even if many tasks inherit it. */
  private readonly parsed = new Map<ScalarNode, Template | null>();
  private readonly trims = new Map<ScalarNode, ScalarNode>();
  private readonly templates = new Map<string, Template>();
  /** Code kept verbatim. */
  readonly code = new Set<ScalarNode>();

  constructor(
    private readonly report: Report,
    private readonly lines: LineIndex,
    private readonly check: ReferenceCheck,
  ) {}

  at(where: Located): SourcePosition {
    return this.lines.position(where.start);
  }

  value(node: YamlNode, place: TemplatePlace): PlanValue {
    if (node.kind === 'scalar') {
      const template = this.template(node, place);
      return template === undefined ? { const: node.value } : { template };
    }
    return node.kind === 'map' ? this.map(node.entries, place) : this.list(node.items, place);
  }

  /** A mapping of entries; a single `const` when none contains a template. */
  map(entries: readonly MapEntry[], place: TemplatePlace): PlanValue {
    return compactMap(entries.map((each) => [each.key, this.value(each.value, place)] as const));
  }

  /** These values of a mapping, without those that are absent. */
  given<K extends string>(
    nodes: Readonly<Record<K, YamlNode | undefined>>,
    place: TemplatePlace,
  ): Partial<Record<K, PlanValue>> {
    const present = (Object.entries(nodes) as [K, YamlNode | undefined][]).flatMap(([key, node]) =>
      node === undefined ? [] : [[key, this.value(node, place)] as const],
    );
    return Object.fromEntries(present) as Partial<Record<K, PlanValue>>;
  }

  private list(items: readonly YamlNode[], place: TemplatePlace): PlanValue {
    const values = items.map((item) => this.value(item, place));
    const constants: Json[] = [];
    for (const value of values) {
      if (!('const' in value)) return { list: values };
      constants.push(value.const);
    }
    return { const: constants };
  }

  /** The template in a string; undefined when there is none, or it is invalid (which is then reported). */
  template(node: ScalarNode, place: TemplatePlace): Template | undefined {
    if (typeof node.value !== 'string' || !hasTemplateSyntax(node.value)) return undefined;
    const cached = this.parsed.get(node);
    const template = cached === undefined ? this.parse(node, node.value, parseTemplate) : cached;
    this.parsed.set(node, template);
    if (template === null) return undefined;
    this.check.check(template, place, (offset, length) => inside(node, offset, length));
    return template;
  }

  /** A condition: a template, a boolean, or an expression without braces. */
  condition(node: ScalarNode, where: TemplatePlace): Template {
    const place: TemplatePlace = { ...where, carries: undefined, part: 'a condition' };
    const literal: Template = {
      kind: 'expression',
      expr: { op: 'lit', v: node.value },
      source: String(node.value),
      at: this.at(node),
    };
    if (typeof node.value !== 'string') return literal;
    const text = node.value.trim();
    if (hasTemplateSyntax(text)) {
      const template = this.template(this.trimmed(node, text), place);
      if (template?.kind === 'text' && isText(template.body)) {
        const message = 'this condition is a text with templates in it, and a text is always true';
        const one = asOneTemplate(text);
        const hint = `write ${one === undefined ? 'one template: `{{ … and … }}`' : `\`${one}\``}`;
        this.report.add('NT4011', node, message, { hint, ...inQuotes(() => one) });
      }
      return template ?? literal;
    }
    if (/^(|true|false|none|null|yes|no|on|off|[01])$/i.test(text)) {
      return { ...literal, expr: { op: 'lit', v: /^(true|yes|on|1)$/i.test(text) } };
    }
    const cached = this.parsed.get(node);
    const parsed = cached === undefined ? this.parse(node, node.value, parseExpression) : cached;
    this.parsed.set(node, parsed);
    if (parsed === null) return literal;
    this.report.add('NT4007', node, 'this condition has no braces', {
      hint: 'write `when: "{{ … }}"`',
      ...inQuotes(() => `{{ ${text} }}`),
    });
    this.check.check(parsed, place, (offset, length) => inside(node, offset, length));
    return parsed;
  }

  /** Without the blanks around it, which would make it a text. */
  private trimmed(node: ScalarNode, value: string): ScalarNode {
    if (value === node.value) return node;
    const before = String(node.value).indexOf(value);
    const trimmed = this.trims.get(node) ?? { ...node, value, offsetOf: (at) => node.offsetOf(at + before) };
    this.trims.set(node, trimmed);
    return trimmed;
  }

  /** Parses without reporting; null if it is not a template. */
  tryParse(node: ScalarNode): Template | null {
    try {
      return parseTemplate(String(node.value), {
        locate: (offset) => this.lines.position(node.offsetOf(offset)),
      });
    } catch (problem) {
      if (problem instanceof TemplateSyntaxError) return null;
      throw problem;
    }
  }

  /** The template of a condition, as parsed by `condition`; undefined for a constant or an invalid one. */
  tryCondition(node: ScalarNode): Template | undefined {
    const text = typeof node.value === 'string' ? node.value.trim() : '';
    if (text === '' || /^(true|false|none|null|yes|no|on|off|[01])$/i.test(text)) return undefined;
    try {
      return hasTemplateSyntax(text) ? parseTemplate(text) : parseExpression(text);
    } catch (problem) {
      if (problem instanceof TemplateSyntaxError) return undefined;
      throw problem;
    }
  }

  private parse(node: ScalarNode, source: string, parser: typeof parseTemplate): Template | null {
    try {
      const locate = (offset: number): SourcePosition => this.lines.position(node.offsetOf(offset));
      const template = parser(source, { locate, cache: this.templates });
      return withTokens(template, (name, isText, { p }) =>
        this.check.keychain.declareToken(name, isText, inside(node, p, 'token'.length)),
      );
    } catch (problem) {
      if (!(problem instanceof TemplateSyntaxError)) throw problem;
      const code: DiagnosticCode =
        problem.code === 'NT4002' || problem.code === 'NT4003' ? problem.code : 'NT4001';
      this.report.add(code, inside(node, problem.offset ?? 0, 1), problem.message);
      return null;
    }
  }
}

/** Whether what the statements produce is never the text of one value: it would always be true. */
function isText(body: readonly Stmt[]): boolean {
  const outputs = body.filter(({ op }) => op === 'out').length;
  return outputs > 1 || body.some((part) => part.op === 'text' && part.v.trim() !== '');
}

/** What the author most likely means: the same with one pair of braces. */
function asOneTemplate(text: string): string | undefined {
  const joined = text
    .replaceAll('${{', '{{')
    .replaceAll(/\{\{-?\s*([^]*?)\s*-?\}\}/g, (_, expression: string) => `(${expression})`);
  const inner = /^\(([^()]*)\)$/.exec(joined)?.[1] ?? joined;
  try {
    parseExpression(inner);
    return `{{ ${inner} }}`;
  } catch {
    return undefined;
  }
}

/** `{map}`, or one `{const}` where every value is constant. */
export function compactMap(entries: readonly (readonly [string, PlanValue])[]): PlanValue {
  const constants: [string, Json][] = [];
  for (const [key, value] of entries) {
    if (!('const' in value)) return { map: entries };
    constants.push([key, value.const]);
  }
  return { const: Object.fromEntries(constants) };
}
