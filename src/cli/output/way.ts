/** The steps of a run on one line. */

/** Longer paths show only their first and last steps. */
const MOST = 16;

/** `start → fetch → load ×3 → end`: names of steps in the order in which they started. */
export function way(steps: readonly string[]): string {
  const groups: { readonly step: string; times: number }[] = [];
  for (const step of steps) {
    const last = groups.at(-1);
    if (last?.step === step) last.times++;
    else groups.push({ step, times: 1 });
  }
  const names = groups.map(({ step, times }) => (times === 1 ? step : `${step} ×${times}`));
  if (names.length > MOST) names.splice(MOST / 2, names.length - MOST, '…');
  return names.join(' → ') || 'no step ended';
}
