import { type ArcDoc, type RouterDoc } from '../document/document';
import { type Report, SILENT } from '../diagnostics/diagnostic';
import { asText, child, entry, type ListNode, type MapNode, type Node, type ScalarNode } from '../yaml/node';
import { inputsOf } from './inputs';
import { writesOf } from './writes';

/** The structural `next` of S1 §9: a name, or a list of names and `{step, args}` that all run (D13). */
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

/** Constructs of the `case` vocabulary that this version cannot run, with what can be written instead. */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  case: 'route with `next: {arcs: [{step: …, when: "{{ … }}"}]}`, and answer outcomes with `tool.spec.policy.rules`',
  retry:
    'write `spec: {policy: {rules: [{when: "{{ outcome.status == \'error\' }}", then: {do: retry, attempts: 3}}]}}` at the tool',
  sink: 'write a further task under `tool` that stores the result, e.g. of kind `postgres`',
};

/** Reports what of the `case` vocabulary a mapping uses and this version cannot run. */
export function reportUnsupported(map: MapNode, keys: readonly string[], report: Report): void {
  for (const key of keys) {
    const found = entry(map, key);
    if (found === undefined) continue;
    report.add('NT2020', found.at, `\`${key}\` is not supported by this version`, UNSUPPORTED[key]);
  }
}

/** The steps that `next` names anywhere inside of `case`. */
export function caseTargets(node: Node | undefined): string[] {
  if (node === undefined || node.kind === 'scalar') return [];
  if (node.kind === 'list') return node.items.flatMap(caseTargets);
  return node.entries.flatMap((each) =>
    each.key === 'next' && each.value.kind !== 'map'
      ? structuralNext(each.value, SILENT).arcs.map((arc) => arc.target)
      : caseTargets(each.value),
  );
}

/** Two constructs that claim the same thing are an error that names both (D1). */
export function reportClaims(step: MapNode, report: Report): void {
  const rules = entry(step, 'case');
  const next = entry(step, 'next');
  if (rules !== undefined && next?.value.kind === 'map' && child(next.value, 'arcs') !== undefined) {
    report.add('NT2006', rules.at, '`case` and `next.arcs` both route from this step', 'keep `next.arcs`');
  }
  const retry = entry(step, 'retry');
  const tool = entry(step, 'tool')?.value;
  const tools = tool?.kind === 'list' ? tool.items : [tool];
  const ruled = tools.some((each) => {
    const spec = each?.kind === 'map' ? child(each, 'spec') : undefined;
    const policy = spec?.kind === 'map' ? child(spec, 'policy') : undefined;
    return policy?.kind === 'map' && child(policy, 'rules') !== undefined;
  });
  if (retry !== undefined && ruled) {
    report.add(
      'NT2006',
      retry.at,
      '`retry` and `spec.policy.rules` both answer the outcome of the tool',
      'keep the rules',
    );
  }
}
