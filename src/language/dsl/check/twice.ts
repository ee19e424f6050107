import { groupBy } from '../../plan';
import { type Report } from '../diagnostics/diagnostic';
import { type ArcDoc, type Document, type StepDoc } from '../document/document';
import { asMap, child } from '../yaml/node';

/** A step to which one firing may have several arcs: it runs for each of them, while branches of others merge there. */
export function checkNamedTwice({ steps }: Document, report: Report): void {
  const merging = new Set(steps.filter((step) => !saysHowItJoins(step)).map(({ name }) => name));
  for (const step of steps) {
    for (const arcs of firingsOf(step)) {
      for (const [target, [, second]] of groupBy(arcs, (arc) => arc.target)) {
        if (second === undefined || !merging.has(target)) continue;
        report.add(
          'NT6006',
          second.at,
          `\`${target}\` is named more than once here, and runs once for each of these arcs that is followed`,
          `write \`spec: {policy: {join: each}}\` at \`${target}\`; \`upgrade\` does, where that changes nothing`,
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
