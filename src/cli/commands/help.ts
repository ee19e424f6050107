import { Command } from 'commander';
import { templateSuggestion } from '../../language/template/suggest';
import { UsageError } from '../errors';
import { codeText, looksLikeCode } from '../output/code-text';
import { print } from '../output/say';

/** `help`, `help COMMAND…`: same as `--help`. `help CODE`: what the reference says about it. */
export function helpCommand(): Command {
  return new Command('help')
    .description('list the commands, show the usage of one, or explain the code of a diagnostic or an error')
    .argument('[command...]', 'e.g. run, or schedule create; or a code, e.g. NT3003')
    .action(async (words: string[], _flags: unknown, { parent }: Command) => {
      const [word = ''] = words;
      if (words.length === 1 && looksLikeCode(word)) return print(codeText(word));
      const shown = words.reduce((above, word) => {
        const match = above.commands.find((one) => one.name() === word);
        if (match) return match;
        const names = above.commands.map((one) => one.name());
        throw new UsageError(`there is no command ${words.join(' ')}${templateSuggestion(word, names)}`);
      }, parent!);
      shown.outputHelp();
    });
}
