/** Findings about a plan that follow from its states. */
import { deadlocks, type PlanByPath, routerFindings } from './routers';
import { endless } from './endless';
import { type Explored, type StateNode } from './explore';
import { type DeepCode, type DeepFinding, finding } from './finding';
import { neverTouched } from './never';
import { racesIn } from './races';
import { uncompensated } from './side-effects';

/** Events that are known to be sent externally. */
export interface Assumptions {
  readonly sent?: ReadonlySet<string>;
  /** Sub-playbooks that are known. */
  readonly planOf?: PlanByPath;
}

export function deepFindings(explored: Explored, assumptions: Assumptions = {}): DeepFinding[] {
  const findings = [
    ...waiting(explored, assumptions),
    ...endless(explored),
    ...neverTouched(explored),
    ...racesIn(explored),
    ...uncompensated(explored),
    ...routerFindings(explored.original),
    ...deadlocks(explored.original, assumptions.planOf),
  ];
  return findings.sort((a, b) => a.at[0] - b.at[0] || a.at[1] - b.at[1] || (a.code < b.code ? -1 : 1));
}

function waiting({ original, nodes }: Explored, { sent }: Assumptions): DeepFinding[] {
  const byKey = new Map<string, DeepFinding>();
  const note = (code: DeepCode, step: string, node: StateNode, message: string): void => {
    const key = `${code} ${step}`;
    if (!byKey.has(key)) byKey.set(key, finding(original, code, { message, step, node }));
  };
  for (const node of nodes) {
    if (node.end || !node.visited) continue;
    if (node.next.length > 0)
      for (const { event, step } of node.awaiting) {
        if (event === undefined || sent?.has(event)) continue;
        const what = `waits without a time limit for event '${event}', which nothing in this playbook sends`;
        const hint = `add a timeout, or name it with --sent ${event}`;
        note('WAITS_FOR_OUTSIDE', step, node, `step ${step} ${what}; ${hint}`);
      }
    else
      for (const { step } of Object.values(node.state.tokens)) {
        const event = node.awaiting.find((one) => one.step === step)?.event;
        const why =
          event === undefined
            ? 'nothing that it waits for can arrive'
            : `no event '${event}' can satisfy its condition`;
        note('WAITS_FOR_EVER', step, node, `step ${step} waits forever: ${why}`);
      }
  }
  return [...byKey.values()];
}
