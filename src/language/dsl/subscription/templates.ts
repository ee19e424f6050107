/** Templates of a trigger, which see a message. */
import { type PlanValue } from '../../plan';
import { MESSAGE_NAMES } from '../../plan/triggers/mapping';
import {
  filterNames,
  globalNames,
  hasTemplateSyntax,
  parseExpression,
  parseTemplate,
  references,
  testNames,
  TemplateSyntaxError,
} from '../../template';
import { type Template } from '../../template/ir';
import { type DiagnosticCode } from '../diagnostics/codes';
import { type Report } from '../diagnostics/diagnostic';
import { didYouMean } from '../diagnostics/suggest';
import { type LineIndex } from '../yaml/lines';
import { inside, type ScalarNode, type YamlNode } from '../yaml/node';

export class MessageTemplates {
  constructor(
    private readonly report: Report,
    private readonly lines: LineIndex,
  ) {}

  value(node: YamlNode): PlanValue {
    if (node.kind === 'map')
      return { map: node.entries.map(({ key, value }) => [key, this.value(value)] as const) };
    if (node.kind === 'list') return { list: node.items.map((item) => this.value(item)) };
    const isTemplate = typeof node.value === 'string' && hasTemplateSyntax(node.value);
    const template = isTemplate ? this.template(node, false) : undefined;
    return template ? { template } : { const: node.value };
  }

  /** @param condition it may be written without braces */
  template(node: ScalarNode, condition: boolean): Template | undefined {
    const text = String(node.value).trim();
    const parse = condition && !hasTemplateSyntax(text) ? parseExpression : parseTemplate;
    const offset = String(node.value).indexOf(text);
    try {
      const template = parse(text, { locate: (at) => this.lines.position(node.offsetOf(at + offset)) });
      for (const { kind, root, guarded, offset: at } of references(template)) {
        const wrong = this.unknown(kind, root, guarded);
        if (wrong)
          this.report.add(wrong.code, inside(node, at + offset, root.length), wrong.message, wrong.hint);
      }
      return template;
    } catch (problem) {
      if (!(problem instanceof TemplateSyntaxError)) throw problem;
      this.report.add('NT4001', inside(node, (problem.offset ?? 0) + offset, 1), problem.message);
      return undefined;
    }
  }

  private unknown(kind: string, root: string, guarded: boolean | undefined) {
    const [code, names] = NAMES[kind as keyof typeof NAMES] ?? ['NT3011', [root]];
    if (names.includes(root) || (guarded && kind === 'name')) return undefined;
    const hint = kind === 'name' ? SEES : didYouMean(root, names);
    return { code, message: `nothing is called \`${root}\` here`, hint };
  }
}

const SEES =
  'a trigger sees `message` (id, body, text, headers, attributes, metadata), `subscription` and `source`';

/** By kind of reference: what it may be, and the code of what it may not. */
const NAMES: Readonly<
  Record<'filter' | 'test' | 'call' | 'name', readonly [DiagnosticCode, readonly string[]]>
> = {
  filter: ['NT4102', filterNames],
  test: ['NT4103', testNames],
  call: ['NT4101', globalNames],
  name: ['NT3011', [...MESSAGE_NAMES, ...globalNames]],
};
