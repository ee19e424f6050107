import { PRICES, type PriceTable } from '../../../language/template/runtime';

/**
 * Behaviour versions of the engine: a plan pins one, and a running execution keeps it. Two kinds of changes need a new
 * entry, with a paragraph that explains it and recorded histories of both versions in test/histories:
 *
 * - A change of what the engine decides: the code asks `state.engineVersion` where the old and the new way part.
 * - A change of what anything costs, or in which order commands are given: with other costs a batch ends elsewhere, and
 *   the commands that follow appear in another workflow task. `costs` are read from the entry of the plan's version;
 *   constants that are not in it are pinned by versions.test.ts, and charges of templates by their own corpus.
 */

/** What work costs, in units of the template language's meter (0.1 to 0.2 µs each). */
export interface Costs {
  /**
   * Work of one batch, after which the rest is deferred by a zero timer: some 0.3 s, where Temporal's deadlock detector
   * fires after 5 s. Not smaller: on a cluster a timer takes a second.
   */
  readonly batchBudget: number;
  /** A micro-step without its templates. */
  readonly microStep: number;
  /** Most that a micro-step's templates take: it is not interrupted, and many may each be within their own limit. */
  readonly microStepLimit: number;
  /** Characters of a value that cost one unit when it is written. */
  readonly charsPerUnit: number;
  /** Each token, whenever joins are looked for: that costs as much as many steps. */
  readonly joinPerToken: number;
}

interface EngineVersion {
  readonly version: number;
  readonly since: string;
  readonly why: string;
  readonly costs: Costs;
  /** What the operations of templates cost. */
  readonly prices: PriceTable;
}

const COSTS_1: Costs = {
  batchBudget: 3_000_000,
  microStep: 20,
  microStepLimit: 10_000_000,
  charsPerUnit: 32,
  joinPerToken: 2,
};

export const ENGINE_VERSIONS: readonly EngineVersion[] = [
  { version: 1, since: '0.1.0', why: 'The first behaviour.', costs: COSTS_1, prices: PRICES },
];

/** True when this build can run a plan pinned to `version`. */
export function knowsEngineVersion(version: number): boolean {
  return ENGINE_VERSIONS.some((each) => each.version === version);
}

/** The costs for a plan pinned to `version`, which this build can run. */
export function costsOf(version: number): Costs {
  return ENGINE_VERSIONS.find((each) => each.version === version)!.costs;
}

/** The prices of templates for a plan pinned to `version`; those of this release for a plan that it cannot run. */
export function pricesOf(version: number): PriceTable {
  return ENGINE_VERSIONS.find((each) => each.version === version)?.prices ?? PRICES;
}
