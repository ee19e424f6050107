import { isNightly } from './sampled';

/**
 * How thoroughly properties are tested. In CI a few seconds, with the same cases every time: a red build is a change of
 * ours; nightly four times as many. `PROPERTY_RUNS=50` tests fifty times as many cases, new ones each time; a failure prints the
 * seed that repeats it.
 */
const factor = Number(process.env['PROPERTY_RUNS'] ?? (isNightly ? 1 : 0.25));
const SEED = 20_260_621;

/** Parameters of `fc.assert` for a property that is quick with so many cases. */
export function cases(quick: number): { numRuns: number; seed?: number } {
  const numRuns = Math.max(1, Math.round(quick * factor));
  return factor > 1 ? { numRuns } : { numRuns, seed: SEED };
}
