/** The command tree. */
import { checkNumberSettings } from '../language/errors/number-settings';
import { Command } from 'commander';
import { answerCommand } from './commands/answer';
import { bulkCommand } from './commands/bulk';
import { cacheCommand } from './commands/cache';
import { checkCommand } from './commands/check';
import { compileCommand } from './commands/compile';
import { completionCommand } from './commands/completion';
import { controlCommand } from './commands/control';
import { coverageCommand } from './commands/coverage';
import { credentialsCommand } from './commands/credentials';
import { devCommand } from './commands/dev';
import { diffCommand } from './commands/diff';
import { doctorCommand } from './commands/doctor';
import { eventCommand } from './commands/event';
import { eventsCommand } from './commands/events';
import { explainCommand } from './commands/explain';
import { graphCommand } from './commands/graph';
import { helpCommand } from './commands/help';
import { initCommand } from './commands/init';
import { listCommand } from './commands/list';
import { lspCommand } from './commands/lsp';
import { logsCommand } from './commands/logs';
import { mcpCommand } from './commands/mcp';
import { notificationsCommand } from './commands/notifications';
import { nowCommand } from './commands/now';
import { projectCommand } from './commands/project';
import { promoteCommand, unstageCommand } from './commands/promote';
import { registerCommand } from './commands/register';
import { renderCommand } from './commands/render';
import { replayCommand } from './commands/replay';
import { rerunCommand } from './commands/rerun';
import { runCommand } from './commands/run';
import { scheduleCommand } from './commands/schedule';
import { schemaCommand } from './commands/schema';
import { serveCommand } from './commands/serve';
import { simulateCommand } from './commands/simulate';
import { statusCommand } from './commands/status';
import { storageCommand } from './commands/storage';
import { testCommand } from './commands/test';
import { tokensCommand } from './commands/tokens';
import { triggerCommand } from './commands/trigger';
import { triggersCommand } from './commands/triggers';
import { upgradeCommand } from './commands/upgrade';
import { viewCommand } from './commands/view';
import { validateCommand } from './commands/validate';
import { verifyCommand } from './commands/verify';
import { whatifCommand } from './commands/whatif';
import { varsCommand } from './commands/vars';
import { workerCommand } from './commands/worker';
import { addExamples } from './examples';
import { packageVersion } from './output/version';

/** As `--help` lists them. */
const groups = (): Record<string, Command[]> => ({
  'Write playbooks': [
    initCommand(),
    runCommand(),
    validateCommand(),
    testCommand(),
    graphCommand(),
    renderCommand(),
    compileCommand(),
    upgradeCommand(),
    schemaCommand(),
    lspCommand(),
    mcpCommand(),
  ],
  'Understand executions': [
    nowCommand(),
    listCommand(),
    statusCommand(),
    logsCommand(),
    eventsCommand(),
    explainCommand(),
    viewCommand(),
    diffCommand(),
    replayCommand(),
  ],
  'Control executions': [
    ...(['pause', 'resume', 'cancel'] as const).map((verb) => controlCommand(verb)),
    rerunCommand(),
    eventCommand(),
    answerCommand(),
    varsCommand(),
    bulkCommand(),
    scheduleCommand(),
    triggerCommand(),
    notificationsCommand(),
  ],
  'Prove a change': [
    checkCommand(),
    simulateCommand(),
    coverageCommand(),
    whatifCommand(),
    verifyCommand(),
    registerCommand(),
    promoteCommand(),
    unstageCommand(),
  ],
  'Operate servers': [
    devCommand(),
    serveCommand(),
    workerCommand(),
    projectCommand(),
    triggersCommand(),
    credentialsCommand(),
    tokensCommand(),
    storageCommand(),
    cacheCommand(),
    doctorCommand(),
  ],
  Help: [helpCommand(), completionCommand()],
});

/** All commands, with examples in their help. */
export function program(): Command {
  const root = new Command('noetl-temporal')
    .description('The durable runtime for NoETL playbooks, on Temporal')
    .version(packageVersion(), '-V, --version', 'print the version of this release')
    .helpCommand(false)
    .showSuggestionAfterError(true)
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .hook('preAction', (_root, command) => {
      checkNumberSettings();
      if (command.opts()['encrypt'] === true) process.env['NOETL_ENCRYPT_PAYLOADS'] = '1';
    });
  for (const [heading, commands] of Object.entries(groups()))
    for (const command of commands) root.addCommand(command.helpGroup(`${heading}:`));
  for (const command of allOf(root)) command.exitOverride().configureOutput({ outputError: () => undefined });
  addExamples(root);
  return root;
}

function allOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allOf)];
}
