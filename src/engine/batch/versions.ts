import { PRICES, type PriceTable } from '../../template/runtime';

/**
 * Behaviour versions of the engine. A plan pins one. A change that would alter a running execution gets the next number
 * here, with a paragraph explaining it, and recorded histories of both versions in test/histories.
 */
export const ENGINE_VERSIONS: readonly EngineVersion[] = [
  { version: 1, since: '0.1.0', why: 'The first behaviour.', prices: PRICES },
];

interface EngineVersion {
  readonly version: number;
  readonly since: string;
  readonly why: string;
  /** What templates cost: where a batch ends depends on it. A version that changes a price has a table of its own. */
  readonly prices: PriceTable;
}

/** The prices of a plan's engine version. */
export function pricesOf(version: number): PriceTable {
  return ENGINE_VERSIONS.find((each) => each.version === version)?.prices ?? PRICES;
}

/** True when this build can run a plan pinned to `version`. */
export function knowsEngineVersion(version: number): boolean {
  return ENGINE_VERSIONS.some((each) => each.version === version);
}
