import { TemplateError } from '../errors';
import { type Evaluation } from '../evaluate/run';
import { defineBuiltin, type Builtin, type Builtins } from '../evaluate/signature';
import { compileRegex } from '../regex/compile';
import { Regex, type MatchSlots } from '../regex/match';
import { parseRegex } from '../regex/parse';
import { integerArgument, textArgument } from '../values/arguments';
import { Tuple, type Keywords } from '../values/kinds';
import { toText } from '../values/text';
import { truthy } from '../values/truth';

/** Regular expressions, with Ansible's filter names; patterns use Python's syntax. */
export const regexFilters: Builtins = {
  regex_search: defineBuiltin('*', (run, v, args, keywords) => {
    const [pattern, ...groups] = args as readonly unknown[];
    const named = keywords as Keywords;
    const { regex, text } = prepare(run, v, pattern, named.get('ignorecase'), named.get('multiline'));
    const slots = regex.search(text);
    if (!slots) return null;
    if (groups.length === 0) return part(text, slots, 0);
    return groups.map((group) => part(text, slots, groupIndex(regex, toText(group, run))));
  }),
  regex_findall: defineBuiltin(
    'pattern, multiline=, ignorecase=',
    (run, v, pattern, multiline, ignorecase) => {
      const { regex, text } = prepare(run, v, pattern, ignorecase, multiline);
      const matches: unknown[] = [];
      regex.each(text, Infinity, (slots) => {
        run.produce(8 * (1 + regex.groups));
        run.charge(run.prices.foundPart * (1 + regex.groups));
        if (regex.groups <= 1) matches.push(part(text, slots, regex.groups) ?? '');
        else
          matches.push(
            Tuple.make(Array.from({ length: regex.groups }, (_, i) => part(text, slots, i + 1) ?? '')),
          );
      });
      return matches;
    },
  ),
  regex_replace: defineBuiltin(
    'pattern, replacement=, count=, ignorecase=, multiline=',
    (run, v, pattern, replacement, count, ignorecase, multiline) => {
      const { regex, text } = prepare(run, v, pattern, ignorecase, multiline);
      const pieces = piecesOf(regex, textArgument(replacement, 'replacement', ''));
      const parts: string[] = [];
      let from = 0;
      regex.each(text, atMost(count, 'count'), (slots) => {
        const fresh = pieces.map((piece) =>
          typeof piece === 'string' ? piece : (part(text, slots, piece) ?? ''),
        );
        run.charge(run.prices.foundPart * (1 + fresh.length));
        parts.push(text.slice(from, slots[0]), ...fresh);
        run.produce(slots[0]! - from + fresh.reduce((sum, piece) => sum + piece.length, 0));
        from = slots[1]!;
      });
      return parts.join('') + text.slice(from);
    },
  ),
  regex_split: defineBuiltin('pattern, maxsplit=, ignorecase=', (run, v, pattern, maxsplit, ignorecase) => {
    const { regex, text } = prepare(run, v, pattern, ignorecase, false);
    const parts: (string | null)[] = [];
    let from = 0;
    regex.each(text, atMost(maxsplit, 'maxsplit'), (slots) => {
      run.produce(8 * (1 + regex.groups));
      run.charge(run.prices.foundPart * (1 + regex.groups));
      parts.push(text.slice(from, slots[0]));
      for (let i = 1; i <= regex.groups; i++) parts.push(part(text, slots, i));
      from = slots[1]!;
    });
    return [...parts, text.slice(from)];
  }),
  regex_escape: defineBuiltin('', (run, v) => {
    const text = toText(v, run);
    run.charge(run.prices.slicedChar * text.length);
    return text.replace(/[()[\]{}?*+\-|^$\\.&~#\s]/g, '\\$&');
  }),
};

/** Tests: `x is match('…')` at the start, `x is search('…')` anywhere. */
export const regexTests: Builtins = {
  match: regexTest((regex, text) => regex.match(text)),
  search: regexTest((regex, text) => regex.search(text)),
  regex: regexTest((regex, text) => regex.search(text)),
};

function regexTest(find: (regex: Regex, text: string) => MatchSlots | undefined): Builtin {
  return defineBuiltin('pattern, ignorecase=, multiline=', (run, v, pattern, ignorecase, multiline) => {
    const { regex, text } = prepare(run, v, pattern, ignorecase, multiline);
    return find(regex, text) !== undefined;
  });
}

/** What is wrong with a pattern that is given to this filter or test, if that takes one. */
export function patternProblem(name: string, pattern: string): string | undefined {
  if (name === 'regex_escape' || !(Object.hasOwn(regexFilters, name) || Object.hasOwn(regexTests, name)))
    return;
  try {
    const { root, groups } = parseRegex(pattern, { ignoreCase: false, multiline: false, dotAll: false });
    compileRegex(root, groups);
    return undefined;
  } catch (error) {
    if (error instanceof TemplateError) return error.message;
    throw error;
  }
}

interface Prepared {
  readonly regex: Regex;
  readonly text: string;
}

function prepare(
  run: Evaluation,
  value: unknown,
  pattern: unknown,
  ignoreCase: unknown,
  multiline: unknown,
): Prepared {
  const flags = { ignoreCase: truthy(ignoreCase), multiline: truthy(multiline), dotAll: false };
  const source = textArgument(pattern, 'pattern');
  const key = `${flags.ignoreCase ? 'i' : ''}${flags.multiline ? 'm' : ''}:${source}`;
  const patterns = (run.patterns ??= new Map());
  let regex = patterns.get(key);
  if (!regex) patterns.set(key, (regex = new Regex(source, flags, run)));
  run.charge(run.prices.search);
  return { regex, text: toText(value, run) };
}

/** A maximum, of which 0 means none. */
function atMost(value: unknown, name: string): number {
  const most = integerArgument(value, name, 0);
  return most > 0 ? most : Infinity;
}

function part(text: string, slots: MatchSlots, group: number): string | null {
  const [start, end] = [slots[2 * group]!, slots[2 * group + 1]!];
  return start < 0 || end < 0 ? null : text.slice(start, end);
}

/** `\1`, `\g<1>`, `\g<name>` or a plain name. */
function groupIndex(regex: Regex, reference: string): number {
  const name = /^\\g<(\w+)>$/.exec(reference)?.[1] ?? reference.replace(/^\\/, '');
  const index = /^\d+$/.test(name) ? Number(name) : regex.names.get(name);
  if (index !== undefined && index <= regex.groups) return index;
  throw new TemplateError('wrongValue', `the pattern has no group '${name}'`);
}

const controls: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\\': '\\' };

/** What replaces a match: texts, and the numbers of groups. */
function piecesOf(regex: Regex, replacement: string): (string | number)[] {
  const pieces: (string | number)[] = [];
  let from = 0;
  for (const { 0: whole, 1: name, 2: index, 3: control, index: at } of replacement.matchAll(
    /\\(?:g<(\w+)>|(\d{1,2})|([nrt\\]))/g,
  )) {
    pieces.push(replacement.slice(from, at));
    pieces.push(control === undefined ? groupIndex(regex, name ?? index!) : controls[control]!);
    from = at + whole.length;
  }
  pieces.push(replacement.slice(from));
  return pieces.filter((piece) => piece !== '');
}
