/** npm forwards Ctrl-C to a process that the terminal has already signalled: both count as one. */
const SAME_PRESS_MS = 300;

/**
 * Calls `handler` for SIGINT and SIGTERM with the number of the signal, 1 for the first.
 *
 * @returns a function that removes the listeners
 */
export function onInterrupt(handler: (count: number, signal: NodeJS.Signals) => void): () => void {
  let count = 0;
  let last = -Infinity;
  const listener = (signal: NodeJS.Signals): void => {
    const now = performance.now();
    if (now - last < SAME_PRESS_MS) return;
    last = now;
    count += 1;
    handler(count, signal);
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, listener);
  return () => signals.forEach((signal) => process.off(signal, listener));
}

/** Settles at the first SIGINT or SIGTERM; a second one exits the process at once, with `exitCode`. */
export function untilInterrupted(exitCode: number): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    onInterrupt((count, signal) => (count === 1 ? resolve(signal) : process.exit(exitCode)));
  });
}
