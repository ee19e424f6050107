/** What is to be said about one random playbook. */
import { parse } from 'yaml';
import { differences, isTied, isTiedAtFailure, isTiedRound, plainEnd } from './compare';
import { Endless } from './clock';
import { dict, list } from './document';
import { type Sample } from './generate/steps';
import { mockOf } from './generate/world';
import { type HitName } from './hits';
import { PENDING } from './pending';
import { perform } from './product';
import { type Ending, interpret } from './run';

export interface Judgement {
  /** `endless`: it goes on for too long; `tied`: it differs, and depends on an order that no document defines; `pending`: a rule decides that the product is known not to follow. */
  readonly verdict: 'same' | 'different' | 'refused' | 'endless' | 'tied' | 'pending';
  readonly hits: readonly HitName[];
  readonly differences: readonly string[];
}

export function judge(
  { text, tools, payload, outside, children, others }: Sample,
  pending: ReadonlySet<HitName> = PENDING,
): Judgement {
  const nothing = { hits: [], differences: [] };
  // Without a tool nothing is called: no document says what `call.done` is in an iteration, or what is repeated.
  const steps = list(dict(parse(text))['workflow']).map(dict);
  if (steps.some((step) => ('loop' in step || 'retry' in step) && !('tool' in step)))
    return { verdict: 'refused', ...nothing };
  const around = {
    ...(outside && { messages: outside }),
    ...(children && { children }),
    ...(others && { others }),
  };
  const expected = expectedOf(() => plainEnd(interpret(text, mockOf(tools), payload, around)));
  if (!expected) return { verdict: 'endless', ...nothing };
  const hits = expected.hits ?? [];
  if (hits.some((hit) => pending.has(hit))) return { verdict: 'pending', hits, differences: [] };
  const actual = perform(text, mockOf(tools), payload, around);
  if ('refused' in actual) return { verdict: 'refused', hits, differences: actual.refused };
  const found = differences(expected, actual);
  const isUndefined = isTied(expected, outside) || isTiedRound(expected) || isTiedAtFailure(expected, found);
  if (found.length > 0 && isUndefined) return { verdict: 'tied', hits, differences: [] };
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
export function told(
  { text, payload, tools, outside, children, others }: Sample,
  { differences: found, hits }: Judgement,
): string {
  return [
    text,
    `payload: ${JSON.stringify(payload)}`,
    `tools: ${JSON.stringify(tools)}`,
    ...Object.values(children ?? {}),
    ...(outside ? [`outside: ${JSON.stringify(outside)}`] : []),
    ...(others ? [`others: ${JSON.stringify(others)}`] : []),
    `rules: ${hits.join(', ')}`,
    '',
    ...found,
  ].join('\n');
}

/** Whether a smaller sample differs in nothing but what the larger one differs in, and in what tells most of it: only then it shows the same fault. */
export function isSameFault(smaller: Judgement, larger: Judgement): boolean {
  const [some, all] = [smaller, larger].map((each) => each.differences.map(kindOf));
  const most = ['steps', 'call', ...all!].find((kind) => all!.includes(kind))!;
  return some!.includes(most) && some!.every((kind) => all!.includes(kind));
}

const kindOf = (difference: string): string => difference.replace(/^(\w+).*/s, '$1');
