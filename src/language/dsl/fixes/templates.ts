import { type TemplateReference } from '../../template';
import { type Edit, type FixSite, type Remedy } from '../diagnostics/diagnostic';
import { child, type MapNode, type YamlNode } from '../yaml/node';
import { type Change } from './words';

/** Keys whose entries are named by the author. */
const NAMING = new Set([
  'args',
  'input',
  'with',
  'payload',
  'workload',
  'set',
  'set_ctx',
  'set_iter',
  'vars',
]);
/** Keys whose value is a name given by the author. */
const NAMES = new Set(['step', 'name', 'iterator']);
const FIELDS = new Set(['result', 'data', 'status', 'error', 'http', 'pg', 'py', 'meta']);

/** `outcome.result` is `output.data`, and `outcome.status` (error, http, pg, py) `output.status`; undefined for others. */
export function outcomeAs({ root, path, kind }: TemplateReference): Remedy | undefined {
  if (root !== 'outcome' || kind !== 'name' || !FIELDS.has(String(path[0]))) return undefined;
  return { what: '`outcome` → `output`', edits: outcomeEdits };
}

function outcomeEdits({ text, at, path }: FixSite): Edit[] | undefined {
  const root = path.at(-1)?.map;
  // An author's own `outcome` or `output` would change its meaning.
  if (root === undefined || path[0]?.entry.key === 'code' || namesOutcome(root)) return undefined;
  const { start } = at;
  const written = /^outcome(?:(\.|\[\\?["']{1,2})(result\b)?)/.exec(text.slice(start, start + 24));
  if (written === null) return undefined;
  const renamed = `output${written[1] ?? ''}${written[2] === undefined ? '' : 'data'}`;
  return [{ start, end: start + written[0].length, text: renamed }];
}

/** The list of a loop that is nothing but a name without a value: a loop over nothing. */
export const orNoItems: Change = {
  what: '`| default([])`',
  edits: ({ text, at: { start } }) => {
    const [read] = /^[\w.]+/.exec(text.slice(start))!;
    const end = start + read.length;
    const isWhole = /\{\{-?\s*$/.test(text.slice(0, start)) && /^\s*-?\}\}/.test(text.slice(end));
    return isWhole ? [{ start: end, end, text: ' | default([])' }] : undefined;
  },
};

const answers = new WeakMap<MapNode, boolean>();

function namesOutcome(root: MapNode): boolean {
  const answer = answers.get(root) ?? names(root, false);
  answers.set(root, answer);
  return answer;
}

function names(node: YamlNode, naming: boolean): boolean {
  if (node.kind === 'list') return node.items.some((item) => names(item, false));
  if (node.kind === 'scalar') return false;
  return node.entries.some(
    ({ key, value }) =>
      (naming && isOutcome(key)) ||
      (NAMES.has(key) && value.kind === 'scalar' && isOutcome(value.value)) ||
      // A labelled task.
      (isOutcome(key) && value.kind === 'map' && child(value, 'kind') !== undefined) ||
      names(value, NAMING.has(key)),
  );
}

function isOutcome(name: unknown): boolean {
  return name === 'outcome' || name === 'output';
}
