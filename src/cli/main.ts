#!/usr/bin/env node
/** The command line. Commands load heavy modules only when run, so that `validate` does not wait for Temporal. */
import { CommanderError } from 'commander';
import { EXIT } from './errors';
import { loadConfiguredExtensions } from './extensions';
import { reportError } from './output/say';

async function main(): Promise<number> {
  try {
    await loadConfiguredExtensions();
    // Set in the environment, because everything that connects to the server reads it, including child processes.
    if (process.env.TEMPORAL_CONFIG_FILE || process.env.TEMPORAL_PROFILE) {
      const { profileVariables } = await import('../temporal/profile.js');
      Object.assign(process.env, await profileVariables());
    }
    const { program } = await import('./program.js');
    await program().parseAsync();
    return Number(process.exitCode ?? EXIT.success);
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportError(error);
    if (error.exitCode === 0) return EXIT.success;
    // Without a command commander prints the help itself.
    if (error.code !== 'commander.help') process.stderr.write(`${error.message.split('\n').join(' ')}\n`);
    return EXIT.usage;
  }
}

// `noetl-temporal … | head` closes our output early, which is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? EXIT.success : EXIT.failed),
);
void main().then((code) => process.exit(code));
