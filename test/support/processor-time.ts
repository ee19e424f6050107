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
