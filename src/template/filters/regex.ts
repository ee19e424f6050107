import { TemplateError } from '../errors';
import { type Run } from '../evaluate/run';
import { define, type Builtin, type Builtins } from '../evaluate/signature';
import { Regex, type Slots } from '../regex/match';
import { integerArgument, textArgument } from '../values/arguments';
import { Tuple, type Keywords } from '../values/kinds';
import { toText } from '../values/text';
import { truthy } from '../values/truth';

/** Regular expressions, with Ansible's filter names; patterns use Python's syntax. */
export const regexFilters: Builtins = {
  regex_search: define('*', (run, v, args, keywords) => {
    const [pattern, ...groups] = args as readonly unknown[];
    const named = keywords as Keywords;
    const { regex, text } = prepare(run, v, pattern, named.get('ignorecase'), named.get('multiline'));
    const slots = regex.search(text, 0);
    if (!slots) return null;
    if (groups.length === 0) return part(text, slots, 0);
    return groups.map((group) => part(text, slots, groupIndex(regex, toText(group, run))));
  }),
  regex_findall: define('pattern, multiline=, ignorecase=', (run, v, pattern, multiline, ignorecase) => {
    const { regex, text } = prepare(run, v, pattern, ignorecase, multiline);
    return regex.all(text).map((slots) => {
      if (regex.groups === 0) return part(text, slots, 0);
      const groups = Array.from({ length: regex.groups }, (_, i) => part(text, slots, i + 1) ?? '');
      return groups.length === 1 ? groups[0] : Tuple.make(groups);
    });
  }),
  regex_replace: define(
    'pattern, replacement=, count=, ignorecase=, multiline=',
    (run, v, pattern, replacement, count, ignorecase, multiline) => {
      const { regex, text } = prepare(run, v, pattern, ignorecase, multiline);
      const most = integerArgument(count, 'count', 0);
      return replaceAll(
        run,
        regex,
        text,
        textArgument(replacement, 'replacement', ''),
        most > 0 ? most : Infinity,
      );
    },
  ),
  regex_split: define('pattern, maxsplit=, ignorecase=', (run, v, pattern, maxsplit, ignorecase) => {
    const { regex, text } = prepare(run, v, pattern, ignorecase, false);
    const most = integerArgument(maxsplit, 'maxsplit', 0);
    const parts: (string | null)[] = [];
    let from = 0;
    for (const slots of regex.all(text).slice(0, most > 0 ? most : undefined)) {
      parts.push(textOf(text, from, slots[0]!));
      for (let i = 1; i <= regex.groups; i++) parts.push(part(text, slots, i));
      from = slots[1]!;
    }
    return [...parts, textOf(text, from, text.length)];
  }),
  regex_escape: define('', (run, v) => toText(v, run).replace(/[()[\]{}?*+\-|^$\\.&~#\s]/g, '\\$&')),
};

/** Tests: `x is match('…')` at the start, `x is search('…')` anywhere. */
export const regexTests: Builtins = {
  match: regexTest((regex, text) => regex.matchAt(text, 0)),
  search: regexTest((regex, text) => regex.search(text, 0)),
  regex: regexTest((regex, text) => regex.search(text, 0)),
};

function regexTest(find: (regex: Regex, text: readonly number[]) => Slots | undefined): Builtin {
  return define('pattern, ignorecase=, multiline=', (run, v, pattern, ignorecase, multiline) => {
    const { regex, text } = prepare(run, v, pattern, ignorecase, multiline);
    return find(regex, text) !== undefined;
  });
}

interface Prepared {
  readonly regex: Regex;
  readonly text: readonly number[];
}

function prepare(
  run: Run,
  value: unknown,
  pattern: unknown,
  ignoreCase: unknown,
  multiline: unknown,
): Prepared {
  const flags = { ignoreCase: truthy(ignoreCase), multiline: truthy(multiline), dotAll: false };
  const text = toText(value, run);
  run.produce(text.length * 8);
  return {
    regex: new Regex(textArgument(pattern, 'pattern'), flags, run),
    text: Array.from(text, (char) => char.codePointAt(0)!),
  };
}

function textOf(text: readonly number[], start: number, end: number): string {
  const parts: string[] = [];
  for (let i = start; i < end; i++) parts.push(String.fromCodePoint(text[i]!));
  return parts.join('');
}

function part(text: readonly number[], slots: Slots, group: number): string | null {
  const [start, end] = [slots[2 * group]!, slots[2 * group + 1]!];
  return start < 0 || end < 0 ? null : textOf(text, start, end);
}

/** `\1`, `\g<1>`, `\g<name>` or a plain name. */
function groupIndex(regex: Regex, reference: string): number {
  const name = /^\\g<(\w+)>$/.exec(reference)?.[1] ?? reference.replace(/^\\/, '');
  const index = /^\d+$/.test(name) ? Number(name) : regex.names.get(name);
  if (index !== undefined && index <= regex.groups) return index;
  throw new TemplateError('wrongValue', `the pattern has no group '${name}'`);
}

const controls: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\\': '\\' };

function replaceAll(
  run: Run,
  regex: Regex,
  text: readonly number[],
  replacement: string,
  most: number,
): string {
  const parts: string[] = [];
  let from = 0;
  for (const slots of regex.all(text).slice(0, most)) {
    const fresh = replacement.replace(
      /\\(?:g<(\w+)>|(\d{1,2})|([nrt\\]))/g,
      (_, name, index, control: string) =>
        control === undefined
          ? (part(text, slots, groupIndex(regex, String(name ?? index))) ?? '')
          : controls[control]!,
    );
    run.produce(fresh.length + slots[0]! - from);
    parts.push(textOf(text, from, slots[0]!), fresh);
    from = slots[1]!;
  }
  return parts.join('') + textOf(text, from, text.length);
}
