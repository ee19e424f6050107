import { Argument, Command } from 'commander';
import { print } from '../output/say';

/** Each asks this program at every Tab; where nothing is offered, the shell completes names of files. */
export const SCRIPTS = {
  bash: `_noetl_temporal() {
  local cur="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=($(compgen -W "$(noetl-temporal completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)" -- "$cur"))
}
complete -o default -o bashdefault -F _noetl_temporal noetl-temporal`,
  zsh: `#compdef noetl-temporal
_noetl_temporal() {
  local -a offers
  offers=("\${(@f)$(noetl-temporal completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  offers=("\${(@)offers/$'\\t'/:}")
  if [[ -n "$offers[1]" ]]; then _describe command offers; else _files; fi
}
if [ "$funcstack[1]" = _noetl_temporal ]; then _noetl_temporal "$@"; else compdef _noetl_temporal noetl-temporal; fi`,
  fish: `complete -c noetl-temporal -a '(noetl-temporal completion words -- (commandline -opc)[2..] (commandline -ct))'`,
} as const;

type Shell = keyof typeof SCRIPTS;

/** `completion SHELL`: a script that completes commands, options and their choices. */
export function completionCommand(): Command {
  const command = new Command('completion')
    .description('print a script that completes commands and options in your shell')
    .addArgument(
      new Argument('<shell>', 'which one; `words` is what the scripts ask').choices([
        ...Object.keys(SCRIPTS),
        'words',
      ]),
    )
    .argument('[typed...]', 'with `words`: what was typed, the word under the cursor last');
  return command.action(async (shell: Shell | 'words', typed: readonly string[]) => {
    if (shell !== 'words') return await print(SCRIPTS[shell]);
    let root: Command = command;
    while (root.parent) root = root.parent;
    const lines = offersAt(root, typed);
    if (lines.length > 0) await print(lines.join('\n'));
  });
}

/** A word and its description, separated by a tab, in each line. */
export function offersAt(root: Command, typed: readonly string[]): readonly string[] {
  const [current = '', ...before] = [...typed].reverse();
  const command = before.reduceRight(
    (above, word) => above.commands.find((one) => one.name() === word) ?? above,
    root,
  );
  const valued = command.options.find(({ long, short }) => [long, short].includes(before[0]));
  if (valued?.required || valued?.optional) return valued.argChoices ?? [];
  const line = (word: string, text: string): string => `${word}\t${text.replace(/\s+/g, ' ')}`;
  if (current.startsWith('-'))
    return [
      ...command.options.map(({ long, short, description }) => line(long ?? short ?? '', description)),
      line('--help', 'display help for command'),
    ];
  const [first] = command.registeredArguments;
  return [
    ...command.commands.map((one) => line(one.name(), one.description())),
    ...(first?.argChoices ?? []),
  ];
}
