import { Command } from 'commander';
import { templateSuggestion } from '../../language/template/suggest';
import { UsageError } from '../errors';

/** `help`, `help COMMAND…`: same as `--help`. */
export function helpCommand(): Command {
  return new Command('help')
    .description('list the commands, or show the usage of one')
    .argument('[command...]', 'e.g. run, or schedule create')
    .action((words: string[], _flags: unknown, { parent }: Command) => {
      const shown = words.reduce((above, word) => {
        const match = above.commands.find((one) => one.name() === word);
        if (match) return match;
        const names = above.commands.map((one) => one.name());
        throw new UsageError(`there is no command ${words.join(' ')}${templateSuggestion(word, names)}`);
      }, parent!);
      shown.outputHelp();
    });
}
