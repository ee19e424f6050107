import { type CompletedCommand } from './tree';

/** One line per completion, conditional on the command typed so far. */
export function fish(name: string, tree: readonly CompletedCommand[]): string {
  const fn = `__${name.replace(/\W/g, '_')}_at`;
  const paths = tree.filter(({ words }) => words.length > 0).map(({ words }) => quote(words.join(' ')));
  const lines = tree.flatMap((one) => {
    const at = `complete -c ${name} -n ${quote(`${fn} ${one.words.join(' ')}`.trim())}`;
    return [
      ...one.commands.map((command) => `${at} -f -a ${quote(command.name)} -d ${quote(command.description)}`),
      ...one.choices.map((choice) => `${at} -f -a ${quote(choice)}`),
      ...one.options.map(({ flags, description, takesValue, choices }) => {
        const names = flags.map((flag) =>
          flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
        );
        const value = !takesValue ? '' : choices.length > 0 ? ` -x -a ${quote(choices.join(' '))}` : ' -r';
        return `${at} ${names.join(' ')}${value} -d ${quote(description)}`;
      }),
    ];
  });
  return `# ${name} completion for fish
function ${fn}
  set -l path
  for word in (commandline -opc)[2..]
    set -l candidate (string join -- ' ' $path $word)
    if contains -- $candidate ${paths.join(' ')}
      set path $path $word
    end
  end
  test "$path" = "$argv"
end
${lines.join('\n')}
`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
