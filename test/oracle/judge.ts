/** What is to be said about one random playbook. */
import { differences, isTied, plainEnd } from './compare';
import { Endless } from './clock';
import { type Sample } from './generate/steps';
import { mockOf } from './generate/world';
import { type HitName } from './hits';
import { PENDING } from './pending';
import { perform } from './product';
import { type Ending, interpret } from './run';

export interface Judgement {
  /** `endless`: it goes on for too long; `tied`: it depends on an order that no document defines; `pending`: a rule decides that the product is known not to follow. */
  readonly verdict: 'same' | 'different' | 'refused' | 'endless' | 'tied' | 'pending';
  readonly hits: readonly HitName[];
  readonly differences: readonly string[];
}

export function judge({ text, tools, payload }: Sample, pending: ReadonlySet<HitName> = PENDING): Judgement {
  const nothing = { hits: [], differences: [] };
  const expected = expectedOf(() => plainEnd(interpret(text, mockOf(tools), payload)));
  if (!expected) return { verdict: 'endless', ...nothing };
  const hits = expected.hits ?? [];
  if (hits.some((hit) => pending.has(hit))) return { verdict: 'pending', hits, differences: [] };
  if (isTied(expected)) return { verdict: 'tied', hits, differences: [] };
  const actual = perform(text, mockOf(tools), payload);
  if ('refused' in actual) return { verdict: 'refused', hits, differences: actual.refused };
  const found = differences(expected, actual);
  return { verdict: found.length === 0 ? 'same' : 'different', hits, differences: found };
}

function expectedOf(interpreted: () => Ending): Ending | undefined {
  try {
    return interpreted();
  } catch (error) {
    if (error instanceof Endless) return undefined;
    throw error;
  }
}

/** The sample as text, for the report of a failure. */
export function told({ text, payload, tools }: Sample, { differences: found, hits }: Judgement): string {
  return [
    text,
    `payload: ${JSON.stringify(payload)}`,
    `tools: ${JSON.stringify(tools)}`,
    `rules: ${hits.join(', ')}`,
    '',
    ...found,
  ].join('\n');
}
