import { groupBy } from '../../plan';
import { joinEach } from '../fixes/join-each';
import { type Report } from '../diagnostics/diagnostic';
import { type ArcDoc, type Document, type StepDoc } from '../document/document';
import { asMap, asText, child } from '../yaml/node';

/** A step to which one firing may have several arcs: it runs for each of them, while branches of others merge there. */
export function checkNamedTwice({ steps }: Document, report: Report): void {
  const merging = new Map(steps.flatMap((step) => (saysHowItJoins(step) ? [] : [[step.name, step]])));
  const several = new Set(steps.flatMap((step) => firingsOf(step).flatMap((arcs) => [...twiceIn(arcs)])));
  const all = steps.flatMap(({ router }) => router?.arcs ?? []);
  for (const step of steps) {
    // Its runs for one fork could be several.
    const once = (): boolean => !joinsEach(step) && !several.has(step.name) && !isInCycle(step.name, steps);
    for (const arcs of firingsOf(step)) {
      for (const [target, [, second]] of groupBy(arcs, (arc) => arc.target)) {
        const joined = merging.get(target);
        if (second === undefined || joined === undefined) continue;
        const only = all.every((arc) => arc.target !== target || arcs.includes(arc)) && once();
        report.add(
          'NT6006',
          second.at,
          `\`${target}\` is named more than once here, and runs once for each of these arcs that is followed`,
          joinEach(
            `write \`spec: {policy: {join: each}}\` at \`${target}\`; \`upgrade\` does, where that changes nothing`,
            only ? joined.at : undefined,
          ),
        );
      }
    }
  }
}

function saysHowItJoins({ spec }: StepDoc): boolean {
  return child(asMap(child(spec, 'policy')), 'join') !== undefined;
}

/** Arcs that are followed together: of an inclusive router, and of each rule of `case`. */
export function firingsOf({ router }: Pick<StepDoc, 'router'>): ArcDoc[][] {
  const { mode, arcs = [] } = router ?? {};
  const together = arcs.filter(({ rule }) => rule !== undefined || mode === 'inclusive');
  return [...groupBy(together, ({ rule }) => rule).values()].filter(({ length }) => length > 1);
}

function twiceIn(arcs: readonly ArcDoc[]): string[] {
  return [...groupBy(arcs, ({ target }) => target)].flatMap(([target, { length }]) =>
    length > 1 ? [target] : [],
  );
}

function joinsEach({ spec }: StepDoc): boolean {
  return [spec, asMap(child(spec, 'policy'))].some((map) => asText(child(map, 'join')) === 'each');
}

function isInCycle(name: string, steps: readonly StepDoc[]): boolean {
  const targetsOf = new Map(steps.map(({ name: from, router }) => [from, router?.arcs ?? []]));
  const seen = new Set<string>();
  const open = [name];
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    for (const { target } of targetsOf.get(from) ?? []) {
      if (target === name) return true;
      if (seen.has(target)) continue;
      seen.add(target);
      open.push(target);
    }
  }
  return false;
}
