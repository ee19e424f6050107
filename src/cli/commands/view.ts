import { Command } from 'commander';
import { later } from '../input/later';
import { atServerOption, dataOption } from '../input/options';

/** `view EXECUTION|FILE --html OUT`: a run as one page that needs no server. */
export function viewCommand(): Command {
  return new Command('view')
    .description('write a run as one HTML file: its graph, timeline, values and decisions at any moment')
    .argument('<execution...>', 'an execution id, or its history files')
    .requiredOption('--html <file>', 'the file to write')
    .addOption(dataOption())
    .option('--storage <url>', 'location of values stored outside history')
    .addOption(atServerOption())
    .action(later(async () => (await import('../runtime/view-run.js')).viewRun));
}
