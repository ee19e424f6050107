/** Branches of a fork that use the same key of ctx. */
import { type Explored } from './explore';
import { type DeepFinding, finding } from './finding';

export function racesIn({ original, relevance, concurrency }: Explored): DeepFinding[] {
  const findings: DeepFinding[] = [];
  for (const [pair, node] of concurrency.pairs) {
    const [a = '', b = ''] = pair.split('\n');
    const [left, right] = [relevance.writes(a), relevance.writes(b)];
    for (const key of new Set([...left.keys(), ...right.keys()])) {
      const [one, other] = [left.get(key), right.get(key)];
      const both = left.has(key) && right.has(key);
      // The same constant in both orders.
      if (both && one !== null && one === other) continue;
      const [writer, reader] = left.has(key) ? [a, b] : [b, a];
      if (!both && !relevance.readsOfCtx(reader, key)) continue;
      const message = both
        ? `steps ${a} and ${b} run at the same time and both write ctx.${key}: the last one wins`
        : `step ${reader} reads ctx.${key} while step ${writer} may be writing it: their order decides`;
      const race = { key, steps: [reader, writer] } as const;
      findings.push(finding(original, 'CTX_RACE', { message, step: writer, node, race }));
    }
  }
  return findings;
}
