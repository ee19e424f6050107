/** Branches of a fork that use the same key of ctx. */
import { type Explored } from './explore';
import { type DeepFinding, finding, stepNamed } from './finding';

export function racesIn({ original, relevance, concurrent }: Explored): DeepFinding[] {
  const findings: DeepFinding[] = [];
  for (const [pair, node] of concurrent) {
    const [a = '', b = ''] = pair.split('\n');
    const [left, right] = [relevance.writes(a), relevance.writes(b)];
    for (const key of new Set([...left.keys(), ...right.keys()])) {
      const [one, other] = [left.get(key), right.get(key)];
      const both = left.has(key) && right.has(key);
      // The same constant in both orders.
      if (both && one !== null && one === other) continue;
      const [writer, reader] = left.has(key) ? [a, b] : [b, a];
      if (!both && !relevance.reads(reader).has(key)) continue;
      const step = stepNamed(original, writer);
      const message = both
        ? `steps ${a} and ${b} run at the same time and both write ctx.${key}: the last one wins`
        : `step ${reader} reads ctx.${key} while step ${writer} may be writing it: their order decides`;
      findings.push(finding('CTX_RACE', { message, step: writer, at: step.at, node }));
    }
  }
  return findings;
}
