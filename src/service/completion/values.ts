/** Values of a key: words of the language, names of steps and tasks, credentials, playbooks, templates. */
import { type Type } from '../../language/dsl/schema/shape';
import { kindDocs, scalarTypes } from '../place/expected';
import { CURSOR, scalarText, valueAt } from '../text/node';
import { nameProposals } from './expressions';
import { type DeclaredStep, type DeclaredTask, type NamePlace, type PlaybookFacts } from '../names/facts';
import { type CompletionProposal, type ProposalKind, ranked, type Weighted, type Writing } from './proposals';
import { learnedUsage } from './usage';

export function valueProposals(writing: Writing): CompletionProposal[] {
  const { keys, nearby, place } = writing;
  const { expected } = place.path;
  const context = `v ${keys.slice(-2).join('/')}`;
  const isKind = keys.at(-1) === 'kind' && place.path.parts.at(-1)?.expected.tool;
  const special = ROOT_VALUES[keys.join('.')] ?? [];
  const words = isKind ? [] : scalarTypes(expected).flatMap(wordsOf);
  const usual = isKind || expected.field?.type === 'boolean' ? [] : nearby.in(context).filter(Boolean);
  const weighted = [
    ...offers('EnumMember', special, 2),
    ...(isKind ? offers('Class', kindDocs(writing.kinds), 0.2) : []),
    ...offers('EnumMember', words, 0.3),
    ...named(writing),
    ...(isKind || special.length > 0 ? [] : templates(writing, words.length > 0 ? 0.1 : 0.5)),
    ...offers('EnumMember', usual, 0.05),
  ];
  return ranked(
    weighted.map(([one, weight]) => [
      one,
      weight + nearby.share(context, one.label) + learnedUsage().share(context, one.label),
    ]),
  );
}

const ROOT_VALUES: Readonly<Record<string, readonly string[]>> = {
  apiVersion: ['noetl.io/v2'],
  kind: ['Playbook', 'Agent'],
};

/** Labels of one kind, with their documentation if there is any; the first are a little likelier. */
function offers(
  kind: ProposalKind,
  labels: readonly (string | readonly [label: string, doc: string])[],
  weight: number,
  detail?: string,
): Weighted[] {
  return labels.map((each, index) => {
    const [label, doc] = typeof each === 'string' ? [each] : each;
    return [{ label, kind, detail, doc }, weight - index / 1_000];
  });
}

function wordsOf(type: Type): readonly string[] {
  if (type === 'boolean' || type === 'flag') return ['true', 'false'];
  if (typeof type === 'string') return [];
  return 'values' in type ? type.values : 'words' in type ? [...type.words] : [];
}

/** Names that the playbook or its surroundings declare. */
function named(writing: Writing): Weighted[] {
  const { facts, step, keys } = writing;
  const key = keys.at(-1) ?? '';
  if (keys.join('.') === 'workflow.step') return offers('Event', undefinedTargets(facts), 1);
  if (isStepName(keys)) return nextSteps(writing);
  if (key === 'to') return offers('Method', labelled(step?.tasks), 1);
  if (key === 'auth' || key === 'credential') return credentials(writing);
  return /^(name|task|path)$/.test(key) ? callees(writing, key) : [];
}

/** What a task calls. */
function callees({ facts, task, names, place }: Writing, key: string): Weighted[] {
  const kind = task?.kind ?? scalarText(place.text, valueAt(place.path.parts.at(-1)?.node, 'kind'));
  if (kind === 'workbook' && key !== 'path') return offers('Method', labelled(facts.workbook), 1);
  if (kind === 'playbook' && key !== 'task')
    return offers('Reference', [...(names.playbooks?.keys() ?? [])], 1, 'a playbook');
  return [];
}

function isStepName(keys: readonly string[]): boolean {
  const key = keys.at(-1) ?? '';
  const isTarget = key === 'step' && ['next', 'then', 'arcs'].some((each) => keys.includes(each));
  return isTarget || key === 'next' || /^(entry|return|result)_step$/.test(key);
}

function labelled(tasks: readonly DeclaredTask[] = []): string[] {
  return tasks.flatMap(({ name }) => name ?? []);
}

function credentials({ facts, names }: Writing): Weighted[] {
  const inputs = (facts.workload?.entries ?? []).map(({ key }) => key);
  const likely = inputs.filter((key) => /auth|cred|token|secret|pg_|key/i.test(key));
  const keychain = facts.keychain.map(({ name }) => `"{{ keychain.${name} }}"`);
  return [
    ...offers(
      'Snippet',
      likely.map((key) => `"{{ workload.${key} }}"`),
      0.6,
    ),
    ...offers('Reference', names.credentials ?? [], 0.5, 'a credential'),
    ...offers('Reference', keychain, 0.4),
  ];
}

/** Steps that arcs lead to and nothing defines yet: the next step to write. */
function undefinedTargets({ steps }: PlaybookFacts): string[] {
  const targets = steps.toReversed().flatMap((step) => step.targets.map(({ name }) => name));
  const defined = new Set(steps.map(({ name }) => name));
  const open = [...targets, 'start', 'end'].filter((name) => !defined.has(name) && !name.includes(CURSOR));
  return [...new Set(open)];
}

/** Steps that an arc may lead to: those below that nothing leads to yet, the next one first. */
function nextSteps({ facts: { steps }, step, place }: Writing): Weighted[] {
  const others = (list: readonly NamePlace[] = []): string[] =>
    list.filter(({ start, name }) => start !== place.from && !name.includes(CURSOR)).map(({ name }) => name);
  const reached = new Set(steps.flatMap(({ targets }) => others(targets)));
  const own = new Set(others(step?.targets));
  const below = steps.filter(({ start }) => step !== undefined && start > step.start);
  const weightOf = (each: DeclaredStep): number => {
    const order = below.indexOf(each);
    const isOpen = order >= 0 && !reached.has(each.name);
    const taken = own.has(each.name) ? 1 : each === step ? 0.2 : 0;
    return (order < 0 ? 0 : 1 / (1 + order)) + (isOpen ? 0.6 : 0) + (each.name === 'end' ? 0.35 : 0) - taken;
  };
  const weights = new Map(steps.map((each) => [each.name, weightOf(each)]));
  for (const name of reached) if (!weights.has(name)) weights.set(name, own.has(name) ? 0.1 : 0.7);
  if (!weights.has('end')) weights.set('end', 0.4);
  return [...weights].map(([label, weight]) => [{ label, kind: 'Event', detail: 'a step' }, weight]);
}

const NO_TEMPLATES = new Set(['desc', 'description', 'name', 'code', 'iterator', 'step']);

/** Whole templates for a value: the names that are likeliest here. */
function templates(writing: Writing, weight: number): Weighted[] {
  const { keys, place } = writing;
  const key = keys.at(-1) ?? '';
  const types = scalarTypes(place.path.expected);
  const isOpen = types.length === 0 || types.some((type) => OPEN.has(type));
  if (!isOpen || NO_TEMPLATES.has(key)) return [];
  const insert = (code: string): string => (place.isWhole ? `{{ ${code} }}` : `"{{ ${code} }}"`);
  const isCondition = /^(when|retry_when|stop_when)$/.test(key);
  const likely = nameProposals(writing, '').slice(0, 12);
  return [
    ...offers('Snippet', isCondition ? usualConditions(keys).map(insert) : [], weight + 0.3),
    ...likely.map(({ label, detail }, index): Weighted => [
      { label: insert(label), kind: 'Snippet', detail },
      weight - index / 50,
    ]),
  ];
}

const OPEN: ReadonlySet<Type> = new Set(['any', 'text', 'condition', 'template']);

function usualConditions(keys: readonly string[]): string[] {
  if (keys.includes('rules')) return ["outcome.status == 'error'", 'outcome.error.retryable'];
  const is = (event: string): string => `event.name == '${event}'`;
  if (keys.includes('case'))
    return [is('call.done'), `${is('step.exit')} and response is defined`, is('call.error')];
  return keys.includes('arcs') ? ['step.done', 'step.failed', 'loop.done'].map(is) : [];
}
