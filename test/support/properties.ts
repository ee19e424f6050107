import { isNightly } from './sampled';

/**
 * How thoroughly properties are tested. In CI a few seconds, with the same cases every time: a red build is a change of
 * ours; nightly four times as many, others every day, since the same ones say nothing new. `PROPERTY_RUNS=50` tests fifty times
 * as many, new ones each time. A failure prints the seed: with it as `PROPERTY_SEED`, and as many runs, it comes again.
 */
const factor = Number(process.env['PROPERTY_RUNS'] ?? (isNightly ? 1 : 0.25));
const DAY_MS = 86_400_000;
const ofTheDay = isNightly ? Math.floor(Date.now() / DAY_MS) : 20_260_621;
const seed = process.env['PROPERTY_SEED'] ?? (factor > 1 ? undefined : ofTheDay);

/** Parameters of `fc.assert` for a property that is quick with so many cases. */
export function cases(quick: number): { numRuns: number; seed?: number } {
  const numRuns = Math.max(1, Math.round(quick * factor));
  return { numRuns, ...(seed !== undefined && { seed: Number(seed) }) };
}
