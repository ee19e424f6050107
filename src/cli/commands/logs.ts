import { Command } from 'commander';
import { later } from '../input/later';
import { atServerOption, dataOption } from '../input/options';

/** `logs EXECUTION`: the output of a run's tasks. */
export function logsCommand(): Command {
  return new Command('logs')
    .description(
      'print the output of the tasks of a run, while they run and afterwards, and the errors of failed tasks',
    )
    .argument('<execution...>', 'an execution id, or its history files')
    .option('-f, --follow', 'follow a running execution until it ends')
    .option('--step <step>', 'only lines of this step')
    .option(
      '--json',
      'one JSON document per line: {at, step, task, task_run_id, attempt, iteration, stream, line}',
    )
    .addOption(dataOption())
    .addOption(atServerOption())
    .action(later(async () => (await import('../runtime/print-logs.js')).printLogs));
}
