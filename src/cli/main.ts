#!/usr/bin/env node
/** The command line. Commands load what is heavy when they run, so that `validate` does not wait for Temporal. */
import { Command, CommanderError } from 'commander';
import { compileCommand } from './commands/compile';
import { controlCommand } from './commands/control';
import { credentialsCommand } from './commands/credentials';
import { devCommand } from './commands/dev';
import { diffCommand } from './commands/diff';
import { doctorCommand } from './commands/doctor';
import { eventCommand } from './commands/event';
import { eventsCommand } from './commands/events';
import { explainCommand } from './commands/explain';
import { graphCommand } from './commands/graph';
import { projectCommand } from './commands/project';
import { listCommand } from './commands/list';
import { registerCommand } from './commands/register';
import { renderCommand } from './commands/render';
import { replayCommand } from './commands/replay';
import { rerunCommand } from './commands/rerun';
import { runCommand } from './commands/run';
import { scheduleCommand } from './commands/schedule';
import { schemaCommand } from './commands/schema';
import { serveCommand } from './commands/serve';
import { statusCommand } from './commands/status';
import { storageCommand } from './commands/storage';
import { testCommand } from './commands/test';
import { tokensCommand } from './commands/tokens';
import { upgradeCommand } from './commands/upgrade';
import { validateCommand } from './commands/validate';
import { varsCommand } from './commands/vars';
import { workerCommand } from './commands/worker';
import { EXIT } from './errors';
import { loadConfiguredExtensions } from './extensions';
import { reportError } from './output/say';

function program(): Command {
  const root = new Command('noetl-temporal')
    .description('The durable runtime for NoETL playbooks, on Temporal')
    .helpCommand(false)
    .showSuggestionAfterError(true)
    .showHelpAfterError(false)
    .hook('preAction', (_root, command) => {
      if (command.opts()['encrypt'] === true) process.env['NOETL_ENCRYPT_PAYLOADS'] = '1';
    });
  const commands = [
    runCommand(),
    validateCommand(),
    testCommand(),
    compileCommand(),
    graphCommand(),
    schemaCommand(),
    renderCommand(),
    eventsCommand(),
    explainCommand(),
    replayCommand(),
    diffCommand(),
    rerunCommand(),
    upgradeCommand(),
  ];
  const running = [
    registerCommand(),
    listCommand(),
    statusCommand(),
    controlCommand('pause'),
    controlCommand('resume'),
    controlCommand('cancel'),
    eventCommand(),
    varsCommand(),
  ];
  const servers = [
    devCommand(),
    serveCommand(),
    workerCommand(),
    tokensCommand(),
    credentialsCommand(),
    scheduleCommand(),
    projectCommand(),
    storageCommand(),
    doctorCommand(),
  ];
  for (const command of [...commands, ...running, ...servers]) root.addCommand(command);
  for (const command of [root, ...root.commands])
    command.exitOverride().configureOutput({ outputError: () => undefined });
  return root;
}

async function main(): Promise<number> {
  try {
    await loadConfiguredExtensions();
    // Everything that looks for the server looks at the environment, processes that we start too.
    if (process.env.TEMPORAL_CONFIG_FILE || process.env.TEMPORAL_PROFILE) {
      const { profileVariables } = await import('../temporal/profile.js');
      Object.assign(process.env, await profileVariables());
    }
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

// `noetl-temporal … | head` closes our output early; that is no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? EXIT.success : EXIT.failed),
);
void main().then((code) => process.exit(code));
