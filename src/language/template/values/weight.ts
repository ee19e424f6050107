import { isDict, isList, resolve } from './kinds';
import { type Meter } from './meter';

/** Charges for sorting `length` elements by these keys: a function of their sizes, because the algorithm is V8's. */
export function chargeSort(meter: Meter, length: number, keys: readonly unknown[]): void {
  if (length < 2) return;
  const rounds = 32 - Math.clz32(length - 1);
  const weights = keys.reduce<number>((sum, key) => sum + weightOf(meter, key), 0);
  meter.charge(rounds * (meter.prices.sortedElement * length + weights));
}

/** What comparing a key may cost. */
function weightOf(meter: Meter, key: unknown): number {
  const { sortedChar, sortedPart, visitedElement } = meter.prices;
  const v = resolve(key);
  if (typeof v === 'string') return sortedChar * v.length;
  const parts = isList(v) ? v : isDict(v) ? Object.values(v) : [];
  if (parts.length === 0) return 0;
  meter.charge(visitedElement * parts.length);
  return meter.nested(() => parts.reduce<number>((sum, part) => sum + sortedPart + weightOf(meter, part), 0));
}
