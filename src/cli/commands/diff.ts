import { Command, Option } from 'commander';
import { atServerOption } from '../input/options';
import { type DiffOptions } from '../runtime/diff-runs';

/** `diff A B`: the differences between two executions. */
export function diffCommand(): Command {
  return new Command('diff')
    .description('compare two executions: inputs, outcomes, decisions, variables, timing')
    .argument('<a>', 'an execution id, or a history file')
    .argument('<b>', 'another one')
    .addOption(
      new Option('--format <format>', 'format of the output').choices(['text', 'json']).default('text'),
    )
    .option('--data <folder>', 'the data folder of the runs')
    .addOption(atServerOption())
    .action(async (a: string, b: string, flags: DiffOptions) => {
      const { diffRuns } = await import('../runtime/diff-runs.js');
      process.exitCode = await diffRuns(a, b, flags);
    });
}
