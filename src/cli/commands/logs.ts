import { Command } from 'commander';
import { atServerOption, dataOption } from '../input/options';

interface Flags {
  follow?: boolean;
  step?: string;
  json?: boolean;
  data?: string;
  server?: string;
}

/** `logs EXECUTION`: what the tools of a run wrote, as its history has it. */
export function logsCommand(): Command {
  return new Command('logs')
    .description('print what the tools of a run wrote to stdout and stderr, and the errors of failed tools')
    .argument('<execution...>', 'an execution id, or its history files')
    .option('-f, --follow', 'follow a running execution until it ends')
    .option('--step <step>', 'only lines of this step')
    .option('--json', 'one JSON document per line: {timestamp, step, task, stream, line}')
    .addOption(dataOption())
    .addOption(atServerOption())
    .action(async (named: string[], flags: Flags) => {
      const { printLogs } = await import('../runtime/print-logs.js');
      process.exitCode = await printLogs(named, flags);
    });
}
