/** A limit of time for a thread of this process that does not count while the machine is busy with others. */

/** After so many times the limit, the time counts whoever used the processor. */
const PATIENCE = 6;
const RECHECK_MS = 100;

/**
 * Calls `over` once this process has used `ms` milliseconds of processor time, at the earliest when so much time has passed. Node
 * cannot tell the time of one thread: others of this process count too, so the limit is too strict rather than too lax.
 *
 * @returns cancels it
 */
export function afterProcessorTime(ms: number, over: () => void): () => void {
  const before = process.cpuUsage();
  const began = performance.now();
  const check = (): void => {
    const { user, system } = process.cpuUsage(before);
    const left = Math.min(ms - (user + system) / 1000, PATIENCE * ms - (performance.now() - began));
    if (left <= 0) over();
    else timer = setTimeout(check, Math.max(left, RECHECK_MS));
  };
  let timer = setTimeout(check, ms);
  return () => clearTimeout(timer);
}
