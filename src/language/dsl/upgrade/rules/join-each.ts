import { type ArcPlan, groupBy, type Plan, type StepPlan } from '../../../plan';
import { asMap, asText, child, entry, type MapNode } from '../../yaml/node';
import { compiled } from '../compiled';
import { type Rewrite, type RewriteSource } from '../rewrite';
import { contentEnd, type Edit, isFlow } from '../text';
import { writtenSteps } from '../walk';
import { below } from './structure';

/**
 * Writes `join: each` at a step that one router names more than once (NT6006), where that changes nothing: nothing else
 * leads to the step, and the router's own step cannot run twice within one fork.
 */
export function joinEach({ text, root }: RewriteSource): Rewrite[] {
  const { plan } = compiled(text);
  if (plan === undefined) return [];
  const named = namedTwice(plan);
  return writtenSteps(root).flatMap((step): Rewrite[] => {
    const name = entry(step, 'step');
    if (name === undefined || !named.has(asText(name.value) ?? '')) return [];
    const edit = added(text, step, ['spec', 'policy', 'join']);
    return edit ? [{ what: 'named twice → `join: each`', at: name.at, edits: [edit] }] : [];
  });
}

function namedTwice({ steps }: Plan): Set<string> {
  const firings = steps.flatMap((step) => firingsOf(step).map((arcs) => ({ step, arcs })));
  const several = new Set(firings.flatMap(({ arcs }) => [...twiceIn(arcs)]));
  const all = steps.flatMap(({ router }) => router?.arcs ?? []);
  const names = firings.flatMap(({ step, arcs }) => {
    if (step.joinEach || several.has(step.name) || isInCycle(step.name, steps)) return [];
    return [...twiceIn(arcs)].filter((target) =>
      all.every((arc) => arc.step !== target || arcs.includes(arc)),
    );
  });
  return new Set(names.filter((name) => !steps.find((step) => step.name === name)?.joinEach));
}

/** Arcs that are followed together. */
function firingsOf({ router }: StepPlan): ArcPlan[][] {
  const { mode, arcs = [] } = router ?? {};
  const together = arcs.filter(({ rule }) => rule !== undefined || mode === 'inclusive');
  return [...groupBy(together, ({ rule }) => rule).values()];
}

function twiceIn(arcs: readonly ArcPlan[]): Set<string> {
  const groups = groupBy(arcs, ({ step }) => step);
  return new Set([...groups].flatMap(([step, { length }]) => (step !== null && length > 1 ? [step] : [])));
}

function isInCycle(name: string, steps: readonly StepPlan[]): boolean {
  const targetsOf = new Map(steps.map(({ name: from, router }) => [from, router?.arcs ?? []]));
  const seen = new Set<string>();
  const open = [name];
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    for (const { step } of targetsOf.get(from) ?? []) {
      if (step === name) return true;
      if (step === null || seen.has(step)) continue;
      seen.add(step);
      open.push(step);
    }
  }
  return false;
}

/** `each` below these keys; undefined if it is there already, or something that is not a mapping is in its way. */
function added(text: string, map: MapNode, [key, ...rest]: readonly string[]): Edit | undefined {
  const there = entry(map, key!);
  if (there !== undefined) {
    const inner = asMap(child(map, key!));
    return rest.length === 0 || inner === undefined || inner.entries.length === 0
      ? undefined
      : added(text, inner, rest);
  }
  const written = rest.reduceRight((value, each) => `{ ${each}: ${value} }`, 'each');
  // The name of a step stays first, and what is read next is how it joins.
  const before = map.entries[rest.length === 2 ? 0 : map.entries.length - 1]!;
  const end = contentEnd(text, before);
  if (isFlow(text, map)) return { start: end, end, text: `, ${key}: ${written}` };
  return below(text, map, end, `${key}: ${written}`);
}
