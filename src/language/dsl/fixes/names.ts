import { groupBy } from '../../plan';
import { type TemplateReference } from '../../template';
import { type Edit, type FixSite, type SiteNames } from '../diagnostics/diagnostic';
import {
  asMap,
  asText,
  child,
  entry,
  type MapNode,
  mapsIn,
  mapUnder,
  type YamlNode,
  type ScalarNode,
} from '../yaml/node';
import { keysOfRoots, type DeclaredNames, meaningOfRoot } from './roots';
import { entriesWithin, referencesIn, scalarsWithin } from './within';
import { type Change } from './words';

/** A step, task or iterator, and the scope of its name. */
interface Named {
  readonly kind: 'step' | 'task' | 'item';
  readonly node: ScalarNode;
  readonly name: string;
  /** The step itself, or the step that contains it. */
  readonly step: MapNode;
  readonly scope: readonly (YamlNode | undefined)[];
}

/** What to rename, and what else its name can mean. */
interface Renaming extends Named, NameIndex {
  /** Code that is not rendered. */
  readonly raw: ReadonlySet<number>;
}

/** Renames a step, task or iterator with a reserved name, including all references. */
export function freeNameFor(name: string): Change {
  return { what: `the name \`${name}\` is reserved`, edits: withFreeName };
}

/** What all names of a playbook are compared with. */
interface NameIndex {
  readonly named: readonly Named[];
  readonly keys: DeclaredNames;
  /** What templates read, by its root. */
  readonly reads: ReadonlyMap<string, readonly ReadAt[]>;
}

interface ReadAt {
  readonly node: ScalarNode;
  readonly key: string;
  readonly reference: TemplateReference;
}

const indexes = new WeakMap<MapNode, NameIndex>();

function indexOf(root: MapNode, names: SiteNames): NameIndex {
  const cached = indexes.get(root);
  if (cached !== undefined) return cached;
  const reads = scalarsWithin([root]).flatMap(({ node, key }) =>
    referencesIn(node, key).map((reference): ReadAt => ({ node, key, reference })),
  );
  const index: NameIndex = {
    named: namedOf(root),
    keys: keysOfRoots(names, root),
    reads: groupBy(reads, ({ reference }) => reference.root),
  };
  indexes.set(root, index);
  return index;
}

function withFreeName(site: FixSite): Edit[] | undefined {
  const root = site.path.at(-1)?.map;
  if (root === undefined || site.names === undefined) return undefined;
  const forbidden = site.reported('NT3009');
  const index = indexOf(root, site.names);
  const all = index.named.filter(({ node }) => forbidden.has(node.start));
  const one = all.find(({ node }) => node.start === site.at.start);
  // Names inside a step hide the step of the same name there, and are renamed first.
  if (
    one === undefined ||
    (one.kind === 'step' && all.some(({ kind, name }) => kind !== 'step' && name === one.name))
  )
    return undefined;
  // Code whose braces are not a template is unchanged.
  return renamed(site.text, root, { ...one, ...index, raw: site.reported('NT4006') });
}

/** Iterators and tasks, then steps. */
function namedOf(root: MapNode): Named[] {
  const steps = mapsIn(child(root, 'workflow'));
  const inner = steps.flatMap((step) => [
    ...entriesWithin(step, ['iterator']).flatMap(({ owner, entry: { value } }) =>
      named('item', value, step, scopeOfItem(step, owner)),
    ),
    ...entriesWithin(child(step, 'tool'), ['name']).flatMap(({ owner, entry: { value } }) =>
      // Here the name also selects the workbook task.
      asText(child(owner, 'kind')) === 'workbook' && entry(owner, 'task') === undefined
        ? []
        : named('task', value, step, [step]),
    ),
  ]);
  const whole = root.entries.flatMap(({ key, value }) => (key === 'metadata' ? [] : [value]));
  return [...inner, ...steps.flatMap((step) => named('step', child(step, 'step'), step, whole))];
}

function named(
  kind: Named['kind'],
  node: YamlNode | undefined,
  step: MapNode,
  scope: Named['scope'],
): Named[] {
  const name = asText(node);
  return node?.kind === 'scalar' && name !== undefined ? [{ kind, node, name, step, scope }] : [];
}

/** Places of a step in which its item has no value. */
const OUTSIDE: ReadonlySet<string> = new Set(['next', 'loop', 'set', 'set_ctx', 'vars', 'spec', 'in']);

/** The scope of a loop's item: its owner is the `loop` of a step or tool, or an iterator. */
function scopeOfItem(step: MapNode, owner: MapNode): Named['scope'] {
  const loops = entriesWithin(step, ['loop']).filter(({ entry: { value } }) => value === owner);
  const around = loops[0]?.owner ?? owner;
  return around.entries.flatMap(({ key, value }) => (OUTSIDE.has(key) ? [] : [value]));
}

/** All edits for one name; undefined if a reference is ambiguous. */
function renamed(text: string, root: MapNode, one: Renaming): Edit[] | undefined {
  const { keys, raw } = one;
  const fresh = freeName(text, one);
  const edits = [one.node, ...targetsOf(root, one)].map((node) => word(text, node, one.name, fresh));
  const steps = mapsIn(child(root, 'workflow'));
  const hidden = hiddenBy(root, one, keys);
  for (const { node, key } of scalarsWithin(one.scope)) {
    if ((key === 'code' && raw.has(node.start)) || hidden(node)) continue;
    const roots = referencesIn(node, key).filter(({ kind }) => kind === 'name');
    if (namesItAsText(String(node.value), roots, one.name)) return undefined;
    const inside = steps.find((step) => step.start <= node.start && node.end <= step.end);
    for (const reference of roots) {
      const read = segmentOf(reference, one, inside, node, keys);
      if (read === undefined) continue;
      if (read === 'unclear') return undefined;
      const start = node.offsetOf(reference.offset);
      const skipped = read === 0 ? 0 : below(text.slice(start), one.name);
      if (skipped === undefined || !text.startsWith(one.name, start + skipped)) return undefined;
      const from = start + skipped;
      edits.push({ start: from, end: from + one.name.length, text: fresh });
    }
  }
  const paths = one.kind === 'task' ? pathsTo(text, one, fresh) : [];
  if (paths === undefined || edits.some((each) => each === undefined)) return undefined;
  return unique([...(edits as Edit[]), ...paths]);
}

/** Whether a template reads an input of the same name: it hides steps and tasks, except in its own value. */
function hiddenBy(root: MapNode, one: Named, declared: DeclaredNames): (node: YamlNode) => boolean {
  if (one.kind === 'item') return () => false;
  const within = (node: YamlNode, around: YamlNode): boolean =>
    around.start <= node.start && node.end <= around.end;
  const steps = mapsIn(child(root, 'workflow'));
  const given = entriesWithin(one.kind === 'task' ? one.step : child(root, 'workflow'), [
    'input',
    'args',
    'with',
  ]).filter(
    ({ owner, entry: { value } }) =>
      entry(asMap(value), one.name) !== undefined &&
      (steps.includes(owner) || entry(owner, 'kind') !== undefined),
  );
  const arriving = steps.filter(
    (step) =>
      (declared.names.ofStep.get(asText(child(step, 'step')) ?? '')?.inputs.has(one.name) ?? false) &&
      !given.some(({ owner }) => owner === step),
  );
  return (node) =>
    arriving.some((step) => within(node, step)) ||
    given.some(({ owner, entry: { value } }) => within(node, owner) && !within(node, value));
}

/**
 * Which part of the path is the name: the root, or the one below it; undefined if the reference means something
 * else.
 */
function segmentOf(
  reference: TemplateReference,
  one: Named,
  inside: MapNode | undefined,
  node: ScalarNode,
  declared: DeclaredNames,
): 0 | 1 | 'unclear' | undefined {
  const { root, path } = reference;
  if (one.kind === 'item' && root === 'iter' && path[0] === one.name) return 1;
  if (root !== one.name) return undefined;
  const admit = mapUnder(inside, 'spec', 'policy', 'admit') ?? mapUnder(inside, 'spec', 'admit');
  const admitted = admit !== undefined && admit.start <= node.start && node.end <= admit.end;
  const meaning = meaningOfRoot(reference, { declared, step: asText(child(inside, 'step')), admitted });
  if (meaning === 'root') return undefined;
  if (meaning === 'name') return 0;
  // Inside its loop an item takes precedence.
  return one.kind === 'item' && path.length === 0 ? 0 : 'unclear';
}

/** `<step>.results.<task>`, wherever it is read. */
function pathsTo(text: string, one: Renaming, fresh: string): Edit[] | undefined {
  const step = asText(child(one.step, 'step'));
  const edits: Edit[] = [];
  for (const { node, key, reference } of one.reads.get(step ?? '') ?? []) {
    const { path, offset } = reference;
    if ((key === 'code' && one.raw.has(node.start)) || path[0] !== 'results' || path[1] !== one.name)
      continue;
    const start = node.offsetOf(offset);
    const results = below(text.slice(start), 'results');
    const skipped = results === undefined ? undefined : below(text.slice(start + results), one.name);
    if (results === undefined || skipped === undefined) return undefined;
    const from = start + results + skipped;
    edits.push({ start: from, end: from + one.name.length, text: fresh });
  }
  return edits;
}

/** The offset of the key after the name at the start of `rest`: `a.key`, `a['key']`. */
function below(rest: string, key: string): number | undefined {
  const length = /^\w+(?:\s*\.\s*|\[\s*\\?["']{1,2})/.exec(rest)?.[0].length;
  return length !== undefined && rest.startsWith(key, length) ? length : undefined;
}

const BY_NAME: ReadonlySet<string> = new Set(['event', 'step', '_task', '_prev', 'token']);

/** `event.step == 'token'`: a name compared as a string, which may be this one. */
function namesItAsText(source: string, references: readonly TemplateReference[], name: string): boolean {
  return (
    references.some(({ root }) => BY_NAME.has(root)) &&
    (source.includes(`'${name}'`) || source.includes(`"${name}"`))
  );
}

/** Uses as a target: of arcs, of jumps, as the first step. */
function targetsOf(root: MapNode, one: Named): ScalarNode[] {
  const is = (node: YamlNode): ScalarNode[] =>
    node.kind === 'scalar' && node.value === one.name ? [node] : [];
  if (one.kind === 'item') return [];
  if (one.kind === 'task') {
    return entriesWithin(one.step, ['to']).flatMap(({ owner, entry: { value } }) =>
      entry(owner, 'do') === undefined || asText(child(owner, 'do')) === 'jump' ? is(value) : [],
    );
  }
  const first = child(mapUnder(root, 'executor', 'spec'), 'entry_step');
  const routes = mapsIn(child(root, 'workflow')).flatMap((step) => [
    child(step, 'next'),
    child(step, 'case'),
  ]);
  const inRoutes = routes.flatMap((route) => {
    if (route === undefined) return [];
    const own = route.kind === 'list' ? route.items : [route];
    const named = entriesWithin(route, ['step', 'next', 'then', 'else']).map(({ entry: { value } }) => value);
    return [...own, ...named.flatMap((each) => (each.kind === 'list' ? each.items : [each]))].flatMap(is);
  });
  return [...(first === undefined ? [] : is(first)), ...returned(root).flatMap(is), ...inRoutes];
}

/** `return_step` if a playbook calls itself. */
function returned(root: MapNode): YamlNode[] {
  const path = asText(child(mapUnder(root, 'metadata'), 'path'));
  return entriesWithin(child(root, 'workflow'), ['return_step']).flatMap(({ owner, entry: { value } }) =>
    path !== undefined && asText(child(owner, 'path')) === path ? [value] : [],
  );
}

/** The edit of a scalar that is the name, quoted or not. */
function word(text: string, node: ScalarNode, name: string, fresh: string): Edit | undefined {
  const inside = text.slice(node.start, node.end).indexOf(name);
  if (inside === -1) return undefined;
  const start = node.start + inside;
  return { start, end: start + name.length, text: fresh };
}

/** `token_step`, or with a number if the playbook already contains that word. */
function freeName(text: string, { name, kind }: Named): string {
  const taken = (word: string): boolean => new RegExp(`\\b${word}\\b`).test(text);
  let fresh = `${name}_${kind}`;
  for (let i = 2; taken(fresh); i += 1) fresh = `${name}_${kind}_${i}`;
  return fresh;
}

/** An aliased node is visited several times. */
function unique(edits: readonly Edit[]): Edit[] {
  return [...new Map(edits.map((each) => [each.start, each])).values()];
}
