/** Parses invariants: a list of expressions, or a mapping from names to expressions. */
import {
  didYouMean,
  inside,
  type MapNode,
  type YamlNode,
  oneOfText,
  presentValue,
  type Report,
  type ScalarNode,
  type Located,
} from '../../../language/dsl/format';
import {
  filterNames,
  globalNames,
  hasTemplateSyntax,
  parseExpression,
  parseTemplate,
  type TemplateReference,
  references,
  type Template,
  TemplateSyntaxError,
  testNames,
} from '../../../language/template';

/** Reads `always`, `at_end` and `per_iteration` of the mapping. */
export function readInvariants(map: MapNode | undefined, report: Report): Invariant[] {
  return WHEN.flatMap((when) => named(presentValue(map, when)).flatMap((one) => read(one, when, report)));
}

interface Named {
  readonly name?: string;
  readonly node: YamlNode;
}

function named(node: YamlNode | undefined): Named[] {
  if (node?.kind === 'map') return node.entries.map(({ key, value }) => ({ name: key, node: value }));
  if (node?.kind === 'list') return node.items.map((item) => ({ node: item }));
  return node ? [{ node }] : [];
}

function read({ name, node }: Named, when: InvariantTime, report: Report): Invariant[] {
  if (node.kind !== 'scalar' || typeof node.value !== 'string') {
    report.add('NT7009', node, 'an invariant is an expression', 'write e.g. `"{{ calls | length < 10 }}"`');
    return [];
  }
  const template = parsed(node, report);
  if (!template) return [];
  for (const reference of references(template)) check(reference, { node, when, report });
  return [{ when, name: name ?? node.value, at: node, source: node.value, template }];
}

function parsed(node: ScalarNode, report: Report): Template | undefined {
  const source = String(node.value);
  try {
    return hasTemplateSyntax(source) ? parseTemplate(source) : parseExpression(source);
  } catch (error) {
    if (!(error instanceof TemplateSyntaxError)) throw error;
    report.add('NT7009', inside(node, error.offset ?? 0, 1), error.message);
    return undefined;
  }
}

const FILTERS = new Set(filterNames);
const TESTS = new Set(testNames);
const GLOBALS = new Set(globalNames);

interface Place {
  readonly node: ScalarNode;
  readonly when: InvariantTime;
  readonly report: Report;
}

function check({ kind, root, offset }: TemplateReference, { node, when, report }: Place): void {
  const at = inside(node, offset, root.length);
  const unknown = (what: string, names: Iterable<string>, otherwise?: string): void =>
    report.add('NT7009', at, `${what} \`${root}\``, didYouMean(root, names) ?? otherwise);
  if (kind === 'filter' && !FILTERS.has(root)) unknown('there is no filter', FILTERS);
  if (kind === 'test' && !TESTS.has(root)) unknown('there is no test', TESTS);
  if (kind === 'call' && !GLOBALS.has(root)) unknown('there is no function', GLOBALS);
  if (kind !== 'name' || GLOBALS.has(root)) return;
  const names = Object.keys(NAMES).filter((name) => name !== 'iteration' || when === 'per_iteration');
  if (!names.includes(root)) unknown('an invariant has no name', names, `it has ${oneOfText(names)}`);
}

/** `always`: after every decision; `at_end`: once; `per_iteration`: at the end, for every iteration of every loop. */
export const WHEN = ['always', 'at_end', 'per_iteration'] as const;
export type InvariantTime = (typeof WHEN)[number];

export interface Invariant {
  readonly when: InvariantTime;
  /** Unique among those of the same `when`; by default the expression. */
  readonly name: string;
  readonly at: Located;
  /** As written. */
  readonly source: string;
  readonly template: Template;
}

/** The first violation of an invariant. */
export interface Violation {
  readonly invariant: Invariant;
  /** Milliseconds since the start. */
  readonly at: number;
  /** Values that made it false, or why it could not be evaluated. */
  readonly why: readonly string[];
}

/** The names of invariants. */
export const NAMES: Readonly<Record<string, string>> = {
  status: '`running`, `paused`, …; at the end `completed`, `failed`, `cancelled` or `waiting`',
  ctx: 'the variables of the execution',
  workload: 'its inputs',
  result: 'its result; null before the end and after a failure',
  error: 'its error `{code, kind, message, step, task, …}`, or null',
  steps: 'names of the steps that started, in order',
  results: 'the last result of each step that ended, by step',
  calls:
    'every execution of a tool: `{id, step, task, kind, iteration, attempt, execution, idempotency_key, input, config, at, status, result, error, acted}`',
  events: 'canonical events: `{type, step, task, iteration, attempt, status, payload}`',
  elapsed: 'seconds since the start',
  iteration: 'of `per_iteration`: `{step, index, item, status, result, error, calls}`',
};
