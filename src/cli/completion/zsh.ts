import { quote } from './bash';
import { type CompletedCommand, type CompletedOption } from './tree';

/**
 * One function per command; `_arguments` offers options, and the function of a sub-command takes over after its
 * name.
 */
export function zsh(name: string, tree: readonly CompletedCommand[]): string {
  const functionOf = (words: readonly string[]): string =>
    `_${[name, ...words].join('_').replace(/\W/g, '_')}`;
  const functions = tree.map((one) => {
    const options = one.options.map((option) => `    ${optionSpec(option)}`);
    if (one.commands.length === 0) {
      const rest =
        one.choices.length > 0
          ? [`    '1:what:(${one.choices.join(' ')})'`]
          : one.takesFiles
            ? ["    '*:file:_files'"]
            : [];
      return `${functionOf(one.words)}() {
  _arguments -s \\
${[...options, ...rest].join(' \\\n')}
}`;
    }
    const described = one.commands.map(
      (command) => `      ${quote(`${command.name}:${command.description}`)}`,
    );
    const cases = one.commands.map(
      (command) => `      ${command.name}) ${functionOf([...one.words, command.name])} ;;`,
    );
    return `${functionOf(one.words)}() {
  local line state
  _arguments -C \\
${options.join(' \\\n')} \\
    '1: :->command' \\
    '*::argument:->arguments'
  case $state in
    command)
      local -a commands=(
${described.join('\n')}
      )
      _describe command commands
      ;;
    arguments)
      case $line[1] in
${cases.join('\n')}
      esac
      ;;
  esac
}`;
  });
  return `#compdef ${name}
# ${name} completion for zsh
${functions.join('\n\n')}

if [ "$funcstack[1]" = ${quote(`_${name}`)} ]; then
  ${functionOf([])} "$@"
else
  compdef ${functionOf([])} ${name}
fi
`;
}

function optionSpec({ flags, description, takesValue, choices }: CompletedOption): string {
  const help = `[${description.replace(/[[\]:\\]/g, (one) => `\\${one}`)}]`;
  const value = !takesValue ? '' : choices.length > 0 ? `:value:(${choices.join(' ')})` : ':value:_files';
  return flags.length > 1
    ? `'(${flags.join(' ')})'{${flags.join(',')}}${quote(help + value)}`
    : quote(`${flags[0]}${help}${value}`);
}
