/** One command, from its arguments to its exit code. */
import { CommanderError } from 'commander';
import { EXIT } from './errors';
import { loadConfiguredExtensions } from './extensions';
import { reportError } from './output/say';

/**
 * Runs a command and prints its errors. What it left open (connections, timers) is the caller's: the executable exits.
 *
 * @param args without the executable and its script
 * @returns the exit code
 */
export async function execute(args: readonly string[]): Promise<number> {
  try {
    await loadConfiguredExtensions();
    // Set in the environment, because everything that connects to the server reads it, including child processes.
    if (process.env.TEMPORAL_CONFIG_FILE || process.env.TEMPORAL_PROFILE) {
      const { profileVariables } = await import('../temporal/profile.js');
      Object.assign(process.env, await profileVariables());
    }
    const { program } = await import('./program.js');
    await program().parseAsync([...args], { from: 'user' });
    return Number(process.exitCode ?? EXIT.success);
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportError(error);
    if (error.exitCode === 0) return EXIT.success;
    // Without a command commander prints the help itself.
    if (error.code !== 'commander.help') process.stderr.write(`${error.message.split('\n').join(' ')}\n`);
    return EXIT.usage;
  }
}
