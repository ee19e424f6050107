import { Command } from 'commander';
import { later } from '../input/later';
import { atServerOption, executeOption, jsonOption, sandboxOption, storageOption } from '../input/options';
import { collectAssignment } from './run';

/** `whatif EXECUTION|FILE --playbook NEW`: the run, decided anew. */
export function whatifCommand(): Command {
  return new Command('whatif')
    .description('re-decide a recorded run with another playbook, inputs or answers; nothing is executed')
    .argument('<execution...>', 'an execution id, or its history files')
    .option('--playbook <file>', 'the new version (default: the recorded one)')
    .option('-s, --set <a.b=v>', 'set one value of the payload; repeatable', collectAssignment, [])
    .option(
      '--outcome <step#run=answer>',
      'override the answer to calls of a task, written as in a rehearsal, or `recorded`; repeatable',
      (one: string, before: string[]) => [...before, one],
      [],
    )
    .option('--answers <file>', 'mocks, as in a rehearsal, for calls that the recording cannot answer')
    .addOption(executeOption())
    .addOption(sandboxOption())
    .option('--to-rehearsal <file>', 'write the re-decided run as a rehearsal')
    .addOption(jsonOption())
    .option('--data <folder>', 'the data folder of the run')
    .addOption(storageOption())
    .addOption(atServerOption())
    .action(later(async () => (await import('../runtime/what-if-run.js')).whatIfRun));
}
