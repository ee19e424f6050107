/**
 * The action of a command that is loaded only when it is run. It gets the arguments and the flags; a number that it
 * returns is the exit code.
 */
export function later<Args extends readonly unknown[]>(
  load: () => Promise<(...args: Args) => Promise<unknown>>,
): (...args: Args) => Promise<void> {
  return async (...args) => {
    const run = await load();
    const code = await run(...args);
    if (typeof code === 'number') process.exitCode = code;
  };
}
