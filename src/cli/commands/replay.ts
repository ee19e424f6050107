import { Command } from 'commander';
import { type BulkFlags, bulkOrOne, withBulkOptions } from '../input/bulk';
import { atServerOption, formatOption } from '../input/options';
import { type ReplayOptions } from '../runtime/replay-run';

/** `replay EXECUTION|FILE`, or `--where`: checks that this release would repeat the run exactly. */
export function replayCommand(): Command {
  return withBulkOptions(new Command('replay'))
    .description('check that this release reproduces the history of a run, with Temporal’s replayer and ours')
    .argument('[execution...]', 'an execution id, or its history files')
    .addOption(formatOption())
    .option('--data <folder>', 'the data folder of the run')
    .addOption(atServerOption())
    .action(async (named: string[], flags: BulkFlags & ReplayOptions) => {
      const code = await bulkOrOne('replay', named, { ...flags, json: flags.format === 'json' });
      if (code !== undefined) return void (process.exitCode = code);
      const { replayRun } = await import('../runtime/replay-run.js');
      process.exitCode = await replayRun(named, flags);
    });
}
