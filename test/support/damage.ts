/** One kind of damage to one line; undefined where it does not apply. */
export const DAMAGE: Readonly<Record<string, (line: string) => string | undefined>> = {
  'a key loses a letter': (line) => replace(line, /^([\s-]*)([a-z])([a-z_]{3,})(:(?: |$))/, '$1$3$4'),
  'two letters of a key are swapped': (line) => {
    const swapped = replace(line, /^([\s-]*[a-z])([a-z])([a-z])([a-z_]*:(?: |$))/, '$1$3$2$4');
    return swapped === line ? undefined : swapped;
  },
  'a colon is lost': (line) => replace(line, /^(\s*-? ?[a-z_]+): (\S)/, '$1 $2'),
  'a tab is used': (line) => replace(line, /^ {2}( *\S)/, '\t$1'),
  'a quote is lost': (line) => replace(line, /"\s*$/, ''),
  'the quotes of a template are lost': (line) => replace(line, /^([^"]*: )"(\{\{.*\}\})"$/, '$1$2'),
  'closing braces are lost': (line) => replace(line, /\}\}/, ''),
  'a line is doubled': (line) => (/^\s*[a-z_]+: \S/.test(line) ? `${line}\n${line}` : undefined),
  'kind is misspelt': (line) => replace(line, /kind: (\w)(\w)(\w+)/, 'kind: $1$3$2$2'),
  'do is misspelt': (line) => replace(line, /\bdo: (\w)/, 'do: $1x'),
  'mode is misspelt': (line) => replace(line, /mode: (\w+)e/, 'mode: $1'),
  'an arc leads nowhere': (line) => replace(line, /^(\s+- step: )(\w+)$/, '$1$2_missing'),
  'workload is misspelt': (line) => replace(line, /\{\{ workload/, '{{ wrokload'),
  'a workload key is misspelt': (line) => replace(line, /workload\.(\w)(\w)/, 'workload.$2$1'),
  'a list becomes a text': (line) => replace(line, /^(\s+arcs|\s+rules):$/, '$1: nothing'),
  'a mapping becomes a number': (line) => replace(line, /^(\s+(?:spec|policy|then|next|loop)):$/, '$1: 7'),
  'a number becomes a word': (line) => replace(line, /attempts: \d+/, 'attempts: often'),
  'a step loses its name': (line) => replace(line, /^- step: \w+/, '- desc: nameless'),
  'when is a forbidden key': (line) => replace(line, /^( +)desc: /, '$1when: '),
  'a reserved name': (line) => replace(line, /iterator: \w+/, 'iterator: workload'),
  'the iterator is lost': (line) => replace(line, /^(\s+)iterator: .*/, '$1comment: gone'),
  'a NUL byte': (line) => replace(line, /(desc: \w)/, '$1\0'),
  'a bracket is opened': (line) => replace(line, /(desc|name): (\w)/, '$1: [$2'),
  'an unknown filter': (line) => replace(line, /\{\{ ([\w.]+) \}\}/, '{{ $1 | tojsn }}'),
  'an expression without end': (line) => replace(line, /\{\{ ([\w.]+) \}\}/, '{{ $1 + }}'),
  'apiVersion of the past': (line) => replace(line, /noetl\.io\/v2/, 'noetl.io/v1'),
  'another kind of document': (line) => replace(line, /kind: Playbook/, 'kind: Playbok'),
  'a null value': (line) => replace(line, /^(\s*(?:- )?(?:kind|step|when|in|iterator)): .+$/, '$1:'),
  'an unknown backoff': (line) => replace(line, /backoff: \w+/, 'backoff: quadratic'),
  'an alias to nothing': (line) => replace(line, /: [a-z]\w*$/, ': *nothing'),
  'outcome is misspelt': (line) => replace(line, /\{\{ (out)(p|c)(\w+)\./, '{{ $1$3$2.'),
  'an unknown test': (line) => replace(line, / is (not )?defined/, ' is $1defind'),
  'a second step of one name': (line) => replace(line, /^( {0,2}- step: )(?!start\b|end\b)\w+$/, '$1start'),
  'a line is indented by one more': (line) => replace(line, /^( +)([a-z_]+:(?: \S.*)?)$/, ' $1$2'),
  'a dash without its space': (line) => replace(line, /^(\s*)- ([a-z_]+: )/, '$1-$2'),
  'a list where a name belongs': (line) =>
    replace(line, /^(\s*(?:- )?(?:kind|iterator|apiVersion|do|step)): (\S+)$/, '$1: [$2]'),
  'a kind of another engine': (line) =>
    replace(line, /kind: (http|python|postgres|noop|duckdb|shell)\b/, 'kind: webhook'),
  'a jump to nowhere': (line) => replace(line, /(do: jump, to:|^\s+to:) \w+/, '$1 nowhere_at_all'),
  'a delay in words': (line) => replace(line, /\bdelay: [\d.]+/, 'delay: soon'),
  'a filter without name': (line) => replace(line, /(\{\{.*) \| \w+(\(.*?\))?/, '$1 | '),
  'a bracket that is not closed': (line) => replace(line, /(\{\{[^}]*\([^()]*)\)/, '$1'),
  'vars instead of workload': (line) => replace(line, /^workload:/, 'vars:'),
  'no step to start with': (line) => replace(line, /^( {0,2}- step: )start$/, '$1begin_here'),
  'an equals sign for a colon': (line) => replace(line, /^(\s+[a-z_]+): (\S)/, '$1= $2'),
  'one equals sign in an expression': (line) => replace(line, /(\{\{.*) == /, '$1 = '),
  'and of another language': (line) => replace(line, /(\{\{.*) and /, '$1 && '),
  'an action is misspelt': (line) =>
    replace(line, /((?:^\s*-? ?|[{,] ?))(collect|retry|next|result|call|fail|skip|sink)(: )/, '$1$2x$3'),
  'a strategy is misspelt': (line) => replace(line, /strategy: (\w)\w/, 'strategy: $1'),
  'attempts in words': (line) => replace(line, /max_attempts: \d+/, 'max_attempts: several'),
  'a sink is only a word': (line) => replace(line, /sink: (\{.*\}|\[.*\])$/, 'sink: postgres'),
  'an event that no one sends': (line) =>
    replace(line, /event\.name == '(\w+)\.\w+'/, "event.name == '$1.finished'"),
  'an action and a list of them': (line) => replace(line, /^(\s+then): \{(\w+: .*)\}$/, '$1: [$2'),
  'a second document': (line) => (/^\s*- step: \w+$/.test(line) ? `---\n${line}` : undefined),
};

function replace(line: string, pattern: RegExp, by: string): string | undefined {
  const changed = line.replace(pattern, by);
  return changed === line ? undefined : changed;
}
