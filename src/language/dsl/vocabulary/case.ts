import { type ArcDoc, type RouterDoc } from '../document/document';
import { type Report, SILENT } from '../diagnostics/diagnostic';
import {
  asText,
  child,
  entry,
  type ListNode,
  type MapNode,
  type YamlNode,
  type ScalarNode,
} from '../yaml/node';
import { inputsOf } from './inputs';
import { writesOf } from './writes';

/** The structural `next`: a name, or a list of names and `{step, args}` which all run. */
export function structuralNext(next: ScalarNode | ListNode | MapNode, report: Report): RouterDoc {
  const items = next.kind === 'list' ? next.items : [next];
  const arcs = items.flatMap((item): ArcDoc[] => {
    const target = asText(item.kind === 'map' ? child(item, 'step') : item);
    if (target === undefined || target.trim() === '') return [];
    const at = item.kind === 'map' ? child(item, 'step')! : item;
    return [
      {
        at,
        target,
        inputs: item.kind === 'map' ? inputsOf(item, report) : [],
        writes: item.kind === 'map' ? writesOf(item, report) : [],
      },
    ];
  });
  return { mode: arcs.length > 1 ? 'inclusive' : 'exclusive', arcs };
}

/** The arcs of an action `next`: like a structural `next`, all of which run. */
export function actionTarget(next: YamlNode, report: Report): ArcDoc[] {
  const arcs = next.kind === 'map' ? child(next, 'arcs') : undefined;
  if (arcs?.kind === 'list') return [...structuralNext(arcs, report).arcs];
  return [...structuralNext(next, report).arcs];
}

/** The arcs of actions anywhere inside `case`: a preview without diagnostics. */
export function arcsInCase(node: YamlNode | undefined): ArcDoc[] {
  if (node === undefined || node.kind === 'scalar') return [];
  if (node.kind === 'list') return node.items.flatMap(arcsInCase);
  if (child(node, 'step') !== undefined) return [...structuralNext(node, SILENT).arcs];
  return node.entries.flatMap((each) =>
    each.key === 'next' ? actionTarget(each.value, SILENT) : arcsInCase(each.value),
  );
}

/** Reports conflicting constructs, naming both. */
export function reportClaims(step: MapNode, report: Report): void {
  const rules = entry(step, 'case');
  const next = entry(step, 'next');
  if (rules !== undefined && next?.value.kind === 'map' && child(next.value, 'arcs') !== undefined) {
    report.add('NT2006', rules.at, '`case` and `next.arcs` both route from this step', 'keep `next.arcs`');
  }
}
