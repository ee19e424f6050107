import { caseRouting } from '../fixes/case';
import { asMap, asText, child, entry, type MapNode, type YamlNode } from '../yaml/node';
import { type ActionContext, readThen } from './actions';
import {
  type ArcDoc,
  type CaseDoc,
  type CaseRuleDoc,
  type Stand,
  type TaskDoc,
  type TaskPlace,
} from './document';
import { ruleMomentOf } from './moments';
import { atTheCall } from './older';
import { overridden } from './overrides';
import { clausesIn, readClause } from './rules';
import { compact } from '../../plan';

/** Parts that the rules of a step add to it. */
interface CaseParts {
  readonly rules: CaseDoc;
  /** Arcs of actions. */
  readonly arcs: readonly ArcDoc[];
}

/**
 * `case` of a step.
 *
 * @param structural number of the router's own arcs
 */
export function readCase(
  step: MapNode,
  tasks: readonly TaskDoc[],
  place: TaskPlace,
  structural: number,
): CaseParts | undefined {
  const { report } = place;
  const caseEntry = entry(step, 'case');
  if (caseEntry?.value.kind !== 'list') return undefined;
  report.older(caseEntry.at, caseRouting);
  const loop = entry(step, 'loop') !== undefined;
  const mode = asText(child(asMap(child(step, 'spec')), 'case_mode'));
  const arcs: ArcDoc[] = [];
  const rules: CaseRuleDoc[] = [];
  for (const item of clausesIn(caseEntry.value, report, mode === 'inclusive')) {
    const written = readClause(item, report, '{next: [{step: …}]}');
    if (written === undefined) continue;
    const clause = atTheCall(written, tasks.length, report);
    const context: ActionContext = {
      tools: overridden(tasks, place),
      sinks: (sink) => {
        const boundary =
          loop && ruleMomentOf(clause.when, [{ do: 'sink', task: '', at: sink.at }], loop) === 'exit';
        const stands: Stand = { kind: 'sink', ...(boundary ? { boundary: true as const } : {}) };
        return place.asides.read(sink, place, stands);
      },
      arc: (arc) => {
        arcs.push({ ...arc, rule: rules.length });
        return structural + arcs.length - 1;
      },
    };
    const actions = readThen(clause.then, context, report);
    if (actions.length === 0 && isEmpty(clause.then)) {
      report.add('NT2033', clause.at, 'this rule does nothing', 'write e.g. `then: {next: [{step: …}]}`');
    }
    rules.push({
      at: clause.at,
      ...compact({ when: clause.when }),
      moment: ruleMomentOf(clause.when, actions, loop),
      actions,
    });
  }
  return { rules: { at: caseEntry.at, mode: mode === 'inclusive' ? 'all' : 'first', rules }, arcs };
}

function isEmpty(then: YamlNode | undefined): boolean {
  if (then === undefined || then.kind === 'scalar') return true;
  return then.kind === 'list' ? then.items.length === 0 : then.entries.length === 0;
}
