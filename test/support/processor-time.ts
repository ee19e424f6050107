/**
 * Milliseconds of processor time that this process took for a piece of work: unlike the clock's, they hardly depend on
 * what else the machine does.
 */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * A limit that no machine of ours comes near by being slow, and work that explodes (values that grow by sharing, matching
 * by backtracking, pairs of everything) leaves far behind: no test asks whether a machine is fast.
 */
export const EXPLODED_MS = 30_000;
