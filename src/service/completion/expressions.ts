/** Parts of expressions: names, fields, filters, tests, functions, and the words a field is compared with. */
import { filterNames, globalNames, testNames } from '../../language/template';
import { expressionParts, pathBefore, templateParts } from '../text/expression';
import { FIELD_VALUES, type KnownValue } from '../names/fields';
import { signatureOf } from '../hover/signatures';
import { type CompletionProposal, ranked, type Weighted, type Writing } from './proposals';
import { learnedUsage } from './usage';

export function expressionProposals(writing: Writing): CompletionProposal[] {
  const { place } = writing;
  const before = place.before ?? '';
  const last = expressionParts(before).at(-1);
  if (last?.kind === 'string' && !/^(\\?["']).*\1$/.test(last.text))
    return literalProposals(before.slice(0, last.start));
  if (/\|\s*$/.test(before)) return ranked(builtins('filter', filterNames));
  if (/\bis\s+(not\s+)?$/.test(before)) return ranked(builtins('test', testNames));
  if (/[\w\])]\.$/.test(before)) {
    const path = pathBefore(before.slice(0, -1));
    return path === undefined ? [] : fieldProposals(writing, path);
  }
  if (/^\s*$/.test(before) || /[([{,:=<>+\-*/%~]\s*$|\b(and|or|not|in|if|else|set|for)\s+$/.test(before))
    return nameProposals(writing, before);
  return /\s$/.test(before) ? operators() : [];
}

function builtins(kind: 'filter' | 'test' | 'function', names: readonly string[]): Weighted[] {
  return names.map((label, index) => [
    { label, kind: 'Function', detail: signatureOf(kind, label)?.label },
    -index / 10_000,
  ]);
}

function operators(): CompletionProposal[] {
  return ['|', '==', '!=', 'and', 'or', 'in', 'is defined', 'if', 'else', '>', '<'].map((label) => ({
    label,
    kind: 'EnumMember',
  }));
}

/** Words that the field before a comparison has. */
function literalProposals(before: string): CompletionProposal[] {
  const path = pathBefore(before.replace(/\s*(==|!=|in)\s*[[(]?(?:[^[(]*,)?\s*$/, ''));
  const words = FIELD_VALUES[path?.join('.') ?? ''] ?? FIELD_VALUES[path?.slice(-2).join('.') ?? ''] ?? [];
  return words.map((label) => ({ label, kind: 'EnumMember' }));
}

/** Names that can be read, by what is usual for the key, what is near, and what has its name. */
export function nameProposals(writing: Writing, before: string): CompletionProposal[] {
  const { keys, nearby, place, step } = writing;
  const key = keys.at(-1) ?? '';
  const own = new Set(step ? templateParts(place.text, step.node).map(({ text }) => text) : []);
  const rank = new Map<string, number>();
  const general = learnedUsage();
  const weighted = writing.scope.names().map(({ name, kind, detail }): Weighted => {
    const nth = rank.get(kind) ?? 0;
    rank.set(kind, nth + 1);
    const category = kind === 'runtime' ? name : `~${kind}`;
    const usual = general.share(`r ${key}`, category) + 0.4 * general.share('r', category);
    const near = 0.6 * nearby.share(`r ${key}`, name) + 0.2 * nearby.share('r', name);
    // What is written is rarely computed from itself alone.
    const isWrite = /^(set|set_ctx|set_iter|vars)$/.test(keys.at(-2) ?? '') && kind !== 'workload';
    const same = name === key && !isWrite ? 1.2 : key.split(/[_.]/).includes(name) ? 0.15 : 0;
    const fresh = kind !== 'runtime' && kind !== 'workload' && !own.has(name) ? 0.05 : 0;
    const weight = (kind === 'runtime' ? usual : usual / (1 + nth)) + near + same + fresh;
    return [{ label: name, kind: 'Variable', detail }, weight];
  });
  return ranked([...weighted, ...(before === '' ? [] : builtins('function', globalNames))]);
}

/** Fields of the value at a path: what is known of it, and what is read of it elsewhere. */
function fieldProposals(writing: Writing, path: readonly string[]): CompletionProposal[] {
  const { nearby, keys } = writing;
  const at = `p ${path.join('.')}`;
  const key = (keys.at(-1) ?? '').replace(/^(ctx|iter|step)\./, '');
  const weigh = (name: string): number =>
    (name === key ? 1 : 0) + 0.6 * nearby.share(at, name) + learnedUsage().share(at, name);
  const fields = Object.entries(writing.scope.at(path).fields ?? {}).map(
    ([label, value], index): Weighted => [
      { label, kind: 'Field', detail: detailOf(value), doc: value.doc },
      0.5 + weigh(label) - index / 200,
    ],
  );
  const elsewhere = [...nearby.in(at), ...learnedUsage().in(at)].map((label): Weighted => [
    { label, kind: 'Field' },
    0.2 + weigh(label),
  ]);
  return ranked([...fields, ...elsewhere].filter(([{ label }]) => label !== ''));
}

function detailOf({ sample, fields, items }: KnownValue): string {
  if (sample !== undefined && (typeof sample !== 'object' || sample === null))
    return `last: ${JSON.stringify(sample)?.slice(0, 60)}`;
  return items ? 'a list' : fields ? 'a mapping' : 'a field';
}
