/** One command, from its arguments to its exit code. */
import { type Command, CommanderError } from 'commander';
import { EXIT } from './errors';
import { loadConfiguredExtensions } from './extensions';
import { meantMessage } from './meant';
import { reportError } from './output/say';

/**
 * Runs a command and prints its errors. What it left open (connections, timers) is the caller's: the executable exits.
 *
 * @param args without the executable and its script
 * @returns the exit code
 */
export async function execute(args: readonly string[]): Promise<number> {
  let root: Command | undefined;
  try {
    await loadConfiguredExtensions();
    // Set in the environment, because everything that connects to the server reads it, including child processes.
    if (process.env.TEMPORAL_CONFIG_FILE || process.env.TEMPORAL_PROFILE) {
      const { profileVariables } = await import('../temporal/client/profile.js');
      Object.assign(process.env, await profileVariables());
    }
    const { program } = await import('./program.js');
    root = program();
    await root.parseAsync([...args], { from: 'user' });
    return Number(process.exitCode ?? EXIT.success);
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportError(error);
    if (error.exitCode === 0) return EXIT.success;
    // Without a command commander prints the help itself.
    if (error.code !== 'commander.help')
      process.stderr.write(`${meantMessage(error, args, belowOf(root, args))}\n`);
    return EXIT.usage;
  }
}

/** Names of the commands below the one that the first word names. */
function belowOf(root: Command | undefined, [first]: readonly string[]): string[] {
  const command = root?.commands.find((one) => one.name() === first);
  return (command?.commands ?? []).map((one) => one.name());
}
