/** Durations in playbooks. */

const UNITS_S = { w: 604_800, d: 86_400, h: 3600, m: 60, s: 1 } as const;
const PART = String.raw`(\d+(?:\.\d+)?)\s*(ms|[wdhms])\s*`;
const TEXT = new RegExp(`^(?:${PART})+$`);
const ISO =
  /^P(?=[\dT])(?:\d+(?:\.\d+)?W)?(?:\d+(?:\.\d+)?D)?(?:T(?=\d)(?:\d+(?:\.\d+)?H)?(?:\d+(?:\.\d+)?M)?(?:\d+(?:\.\d+)?S)?)?$/i;

/**
 * Seconds of a number, a numeric string, `1h30m` or `500ms`, or of an ISO 8601 duration without years and months
 * (`PT5M`, `P1DT12H`, `P2W`), whose length depends on the date. Undefined for anything else, including negative
 * numbers.
 */
export function secondsOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number >= 0 ? number : undefined;
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (!TEXT.test(text) && !ISO.test(text)) return undefined;
  // `PT5M` without its letters P and T is `5m`; months are not among the units.
  const parts = text.toLowerCase().matchAll(new RegExp(PART, 'g'));
  return [...parts].reduce((sum, [, amount, unit]) => sum + toSeconds(Number(amount), unit!), 0);
}

function toSeconds(amount: number, unit: string): number {
  // 200 ms are 0.2 s, not 0.2000…1.
  return unit === 'ms' ? amount / 1000 : amount * UNITS_S[unit as keyof typeof UNITS_S];
}
