/** Edits of any playbook, by the shape of its YAML only; whether one changes anything is for the runs to say. */
import {
  type Document,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  Scalar,
  visit,
  type YAMLMap,
} from 'yaml';

export interface PlaybookEdit {
  readonly kind: string;
  readonly text: string;
  readonly isRenamed?: boolean;
}

type Change = (document: Document, path: readonly (string | number)[]) => void;
type Site = readonly [kind: string, path: readonly (string | number)[], change: Change, isRenamed?: boolean];

/** Every edit of a playbook, in the order of its text. */
export function editsOf(text: string): { readonly kind: string; apply(): PlaybookEdit }[] {
  const document = parseDocument(text);
  const sites: Site[] = [...wholes(document)];
  walk(document.contents as Node, [], (node, path) => sites.push(...sitesAt(node, path)));
  return sites.map(([kind, path, change, isRenamed]) => ({
    kind,
    apply: () => {
      const copy = parseDocument(text);
      change(copy, path);
      return { kind, text: copy.toString({ lineWidth: 0 }), ...(isRenamed && { isRenamed }) };
    },
  }));
}

function walk(
  node: Node | null,
  path: readonly (string | number)[],
  see: (node: Node, path: readonly (string | number)[]) => void,
): void {
  if (!node) return;
  see(node, path);
  if (isMap(node)) for (const { key, value } of node.items) walk(value as Node, [...path, String(key)], see);
  else if (isSeq(node)) node.items.forEach((item, i) => walk(item as Node, [...path, i], see));
}

const put =
  (value: unknown): Change =>
  (document, path) =>
    document.setIn(path, value);
const gone: Change = (document, path) => void document.deleteIn(path);

/** Edits of the playbook as a whole. */
function* wholes(document: Document): Generator<Site> {
  yield ['a pool for all', ['executor', 'spec', 'pool'], put('elsewhere')];
  yield ['concurrency', ['executor', 'spec', 'concurrency'], put({ limit: 1 })];
  yield ['a schema that refuses', ['metadata', 'workload'], put({ other_key: { type: 'string' } })];
  yield ['a description', ['metadata', 'description'], put('the same in other words')];
  yield ['a comment', [], (one) => void (one.commentBefore = ' the same')];
  for (const key of Object.keys(
    (document.get('workload') as YAMLMap | undefined)?.toJSON() ?? {},
  ) as string[])
    yield ['a default is gone', ['workload', key], gone];
}

function* sitesAt(node: Node, path: readonly (string | number)[]): Generator<Site> {
  const key = path.at(-1);
  const within = path.map(String);
  if (isMap(node) && path.at(-2) === 'arcs') {
    if (!node.has('when')) {
      yield ['a guard that always holds', [...path, 'when'], put(true)];
      yield ['a guard that never holds', [...path, 'when'], put(false)];
      yield [
        'a guard on the result',
        [...path, 'when'],
        (d, at) => d.setIn(at, `{{ ${stepOf(d, at)}.n is defined }}`),
      ];
    } else yield ['a guard is gone', [...path, 'when'], gone];
    yield ['an arc is gone', path, gone];
    yield ['an argument is added', [...path, 'set', 'ctx.added_by_edit'], put(1)];
  }
  if (isSeq(node) && key === 'arcs' && node.items.length > 1)
    yield ['arcs in another order', path, (d, at) => (d.getIn(at) as { items: unknown[] }).items.reverse()];
  if (isSeq(node) && key === 'tool' && node.items.length > 1)
    yield ['a task is gone', [...path, node.items.length - 1], gone];
  if (isMap(node) && node.has('kind') && within.includes('tool')) {
    yield ['a pool', [...path, 'spec', 'pool'], put('elsewhere')];
    yield ['a long time limit', [...path, 'timeout'], put(3_600)];
    yield ['a short time limit', [...path, 'timeout'], put(0.001)];
    if (node.has('name')) yield ['a task with another name', path, renameTask, true];
  }
  if (isMap(node) && key === 'map' && within.includes('keychain'))
    for (const pair of node.items)
      yield ['another variable of the keychain', [...path, String(pair.key)], put('other_variable')];
  if (isMap(node) && node.has('step') && path.length === 2) {
    yield ['a step with another name', path, renameStep, true];
    yield ['a time limit of the step', [...path, 'spec', 'lifecycle', 'timeout_s'], put(3_600)];
    yield ['a step waits longer', [...path, 'spec', 'timeout'], put(3_600)];
  }
  if (isMap(node) && node.items.length > 1 && within.length > 0)
    yield ['keys in another order', path, (d, at) => (d.getIn(at) as { items: unknown[] }).items.reverse()];
  if (isScalar(node)) yield* scalarSites(node, path, String(key));
}

const NAMES = new Set([
  'step',
  'name',
  'kind',
  'path',
  'apiVersion',
  'iterator',
  'as',
  'description',
  'desc',
  'title',
  'to',
]);

function* scalarSites(
  { value, type }: Scalar,
  path: readonly (string | number)[],
  key: string,
): Generator<Site> {
  const where =
    path[0] === 'workload' ? 'default' : path.includes('args') || path.includes('input') ? 'binding' : key;
  if (path[0] === 'metadata') return;
  if (key === 'step' && path.includes('arcs')) yield ['an arc leads elsewhere', path, leadElsewhere];
  if (NAMES.has(key)) return;
  if (typeof value === 'number') {
    yield [`another number: ${where}`, path, put(value + 1)];
    yield [`a far number: ${where}`, path, put(value * 10 + 7)];
  } else if (typeof value === 'boolean') yield [`the opposite: ${where}`, path, put(!value)];
  else if (typeof value === 'string') {
    const template = /^\{\{([\s\S]*)\}\}$/.exec(value)?.[1];
    if (template !== undefined && (key === 'when' || key === 'stop_when')) {
      yield ['a guard is negated', path, put(`{{ not (${template}) }}`)];
      yield ['a guard in parentheses', path, put(`{{ (${template}) }}`)];
      yield ['a guard twice negated', path, put(`{{ not (not (${template})) }}`)];
      for (const [from, to] of BOUNDS)
        if (template.includes(from)) yield ['another bound', path, put(value.replace(from, to))];
    } else if (template !== undefined) {
      yield [`another value: ${where}`, path, put(`{{ [${template}] | string }}`)];
      yield [`the same value: ${where}`, path, put(`{{ (${template}) }}`)];
      for (const [number] of template.matchAll(/default\((\d+)\)/g))
        yield ['another default in a template', path, put(value.replace(number, 'default(977)'))];
    } else if (!value.includes('{%') && value.trim() !== '') {
      yield [`another text: ${where}`, path, put(`${value.trimEnd()} x`)];
      if (type === 'PLAIN' && !value.includes('{{')) yield ['quotes', path, (d, at) => quoted(d, at)];
    }
  }
}

const BOUNDS = [
  [' < ', ' <= '],
  [' > ', ' >= '],
  [' >= ', ' > '],
  [' <= ', ' < '],
  [' and ', ' or '],
  [' == ', ' != '],
] as const;

function quoted(document: Document, path: readonly (string | number)[]): void {
  const scalar = document.getIn(path, true);
  if (isScalar(scalar)) scalar.type = Scalar.QUOTE_DOUBLE;
}

function stepOf(document: Document, path: readonly (string | number)[]): string {
  return String(document.getIn([...path.slice(0, 2), 'step']));
}

const leadElsewhere: Change = (document, path) => {
  const names = (document.get('workflow') as { items: YAMLMap[] }).items.map((step) =>
    String(step.get('step')),
  );
  const now = String(document.getIn(path));
  document.setIn(path, names.find((name, i) => i > 0 && name !== now) ?? names[0]);
};

const renameStep: Change = (document, path) => {
  const name = String(document.getIn([...path, 'step']));
  if (name !== 'start' && name !== 'end') rename(document, name, `${name}_renamed`, ['step', 'next', 'to']);
};

const renameTask: Change = (document, path) => {
  const name = String(document.getIn([...path, 'name']));
  rename(document, name, `${name}_renamed`, ['name', 'to', 'task', 'jump']);
};

/** The name and every mention of it in templates. */
function rename(document: Document, from: string, to: string, fields: readonly string[]): void {
  const mention = new RegExp(`(?<![\\w.'"])${from}(?=[.[ )}|])`, 'g');
  visit(document, {
    Scalar(key, node, parents) {
      if (typeof node.value !== 'string' || key === 'key') return;
      const pair = parents.findLast((one) => isPair(one));
      const field = isPair(pair) && isScalar(pair.key) ? String(pair.key.value) : '';
      if (node.value === from && fields.includes(field)) node.value = to;
      else if (node.value.includes('{{') && field !== 'code')
        node.value = node.value.replace(mention, to).replaceAll(`results.${from}`, `results.${to}`);
    },
  });
}
