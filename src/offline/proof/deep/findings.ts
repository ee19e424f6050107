/** Findings about a plan that follow from its states. */
import { endless } from './endless';
import { type Explored } from './explore';
import { type DeepFinding, finding, stepNamed } from './finding';
import { neverTouched } from './never';
import { racesIn } from './races';
import { uncompensated } from './side-effects';

/** Events that are known to be sent externally. */
export interface Assumptions {
  readonly sent?: ReadonlySet<string>;
}

export function deepFindings(explored: Explored, assumptions: Assumptions = {}): DeepFinding[] {
  const findings = [
    ...waiting(explored, assumptions),
    ...endless(explored),
    ...neverTouched(explored),
    ...racesIn(explored),
    ...uncompensated(explored),
  ];
  return findings.sort((a, b) => a.at[0] - b.at[0] || a.at[1] - b.at[1] || (a.code < b.code ? -1 : 1));
}

function waiting({ original, nodes }: Explored, assumptions: Assumptions): DeepFinding[] {
  const byKey = new Map<string, DeepFinding>();
  for (const node of nodes) {
    if (node.end || !node.visited) continue;
    const stuck = node.next.length === 0;
    const steps = stuck ? Object.values(node.state.tokens).map(({ step }) => step) : [];
    for (const { event, step } of node.awaiting) {
      if (event === undefined || stuck || assumptions.sent?.has(event) || byKey.has(step)) continue;
      const message = `step ${step} waits without a time limit for event '${event}', which nothing in this playbook sends; add a timeout, or name it with --sent ${event}`;
      byKey.set(
        step,
        finding('WAITS_FOR_OUTSIDE', { message, step, at: stepNamed(original, step).at, node }),
      );
    }
    for (const name of steps) {
      const key = `${name} stuck`;
      if (byKey.has(key)) continue;
      const event = node.awaiting.find(({ step }) => step === name)?.event;
      const why =
        event === undefined
          ? 'nothing that it waits for can arrive'
          : `no event '${event}' can satisfy its condition`;
      byKey.set(
        key,
        finding('WAITS_FOR_EVER', {
          message: `step ${name} waits forever: ${why}`,
          step: name,
          at: stepNamed(original, name).at,
          node,
        }),
      );
    }
  }
  return [...byKey.values()];
}
