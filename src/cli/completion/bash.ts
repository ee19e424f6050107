import { type CompletedCommand } from './tree';

/** Finds the command path in the words before the cursor, then offers its completions. */
export function bash(name: string, tree: readonly CompletedCommand[]): string {
  const paths = tree.filter(({ words }) => words.length > 0).map(({ words }) => quote(words.join(' ')));
  const cases = tree.map((one) => {
    const valued = one.options.filter(({ takesValue }) => takesValue);
    const values = valued.map(
      ({ flags, choices }) =>
        `        ${flags.map(quote).join('|')}) ${choices.length > 0 ? `COMPREPLY=($(compgen -W ${quote(choices.join(' '))} -- "$cur"))` : 'COMPREPLY=($(compgen -f -- "$cur"))'}; return ;;`,
    );
    const words = [
      ...one.commands.map((command) => command.name),
      ...one.choices,
      ...one.options.flatMap(({ flags }) => flags),
    ];
    return `    ${quote(one.words.join(' '))})
      case "$prev" in
${values.join('\n')}
      esac
      COMPREPLY=($(compgen -W ${quote(words.join(' '))} -- "$cur"))
      ${one.takesFiles ? '[[ "$cur" == -* ]] || COMPREPLY+=($(compgen -f -- "$cur"))' : ':'}
      ;;`;
  });
  const fn = `_${name.replace(/\W/g, '_')}`;
  return `# ${name} completion for bash
${fn}() {
  local cur prev path word candidate
  COMPREPLY=()
  cur="\${COMP_WORDS[COMP_CWORD]}"
  prev="\${COMP_WORDS[COMP_CWORD-1]}"
  path=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    candidate="\${path:+$path }$word"
    case "$candidate" in
      ${paths.join('|')}) path="$candidate" ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
}
complete -o filenames -o bashdefault -F ${fn} ${name}
`;
}

/** As a word of a POSIX shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
