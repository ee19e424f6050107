import { Command } from 'commander';
import { later } from '../input/later';
import { atServerOption, formatOption } from '../input/options';

/** `explain EXECUTION|FILE`: explains why a run did what it did. */
export function explainCommand(): Command {
  return new Command('explain')
    .description(
      'explain why a run did what it did: the values of conditions, and the rules and arcs that matched',
    )
    .argument('<execution...>', 'an execution id, or its history files')
    .option('--at <seq>', 'only the decision at this event, or the last one before it')
    .option(
      '--after <seq>',
      'a page: the decisions after this event, also all about iterations; 0 for the first',
    )
    .option('--step <step>', 'only decisions about this step')
    .option('--state', 'with --at: the state of the execution at that event')
    .addOption(formatOption())
    .option('--data <folder>', 'the data folder of the run')
    .addOption(atServerOption())
    .action(later(async () => (await import('../runtime/explain-run.js')).explainRun));
}
