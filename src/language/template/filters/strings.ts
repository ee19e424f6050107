import { TemplateError } from '../errors';
import { type Evaluation } from '../evaluate/run';
import { defineBuiltin, type Builtins } from '../evaluate/signature';
import { integerArgument, textArgument } from '../values/arguments';
import { formatPercent } from '../values/format';
import { Tuple, dictOf, resolve, textual, valueTypeName, type Keywords } from '../values/kinds';
import { characters, lengthOf } from '../values/sequence';
import { toText } from '../values/text';
import { truthy } from '../values/truth';
import { capitalize, center, replace, splitLines, strip } from '../values/pytext';
import { wrap } from './wrap';

/** Filters for text. Other values are converted to text, as in Jinja2. */
export const stringFilters: Builtins = {
  upper: defineBuiltin('', (run, v) => toText(v, run).toUpperCase()),
  lower: defineBuiltin('', (run, v) => toText(v, run).toLowerCase()),
  capitalize: defineBuiltin('', (run, v) => capitalize(toText(v, run))),
  title: defineBuiltin('', (run, v) => {
    const text = toText(v, run);
    run.charge(run.prices.titleChar * text.length);
    return text
      .split(/([-\s({[<]+)/)
      .map(capitalize)
      .join('');
  }),
  trim: defineBuiltin('chars=', (run, v, chars) => strip(toText(v, run), chars, 'both', run)),
  replace: defineBuiltin('old, new, count=', (run, v, old, fresh, count) => {
    const limit = resolve(count) ?? undefined;
    const most = limit === undefined ? -1 : integerArgument(limit, 'count');
    return replace(toText(v, run), toText(old, run), toText(fresh, run), most, run);
  }),
  truncate: defineBuiltin('length=, killwords=, end=, leeway=', (run, v, length, killwords, end, leeway) =>
    truncate(
      run,
      v,
      integerArgument(length, 'length', 255),
      truthy(killwords),
      end === undefined ? '...' : toText(end, run),
      integerArgument(leeway ?? undefined, 'leeway', 5),
    ),
  ),
  center: defineBuiltin('width=', (run, v, width) =>
    center(toText(v, run), integerArgument(width, 'width', 80), ' ', run),
  ),
  indent: defineBuiltin('width=, first=, blank=', (run, v, width = 4, first, blank) => {
    const by = resolve(width);
    const margin = typeof by === 'string' ? by : ' '.repeat(indentWidth(integerArgument(by, 'width')));
    const text = needText(v, 'indent');
    run.charge(run.prices.indentedChar * text.length);
    const lines = splitLines(`${text}\n`, false);
    run.produce(lines.length * margin.length);
    return lines
      .map((line, i) => ((i === 0 ? truthy(first) : truthy(blank) || line !== '') ? margin + line : line))
      .join('\n');
  }),
  wordcount: defineBuiltin('', (run, v) => {
    const text = toText(v, run);
    run.charge(run.prices.wordChar * text.length);
    return text.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0;
  }),
  wordwrap: defineBuiltin(
    'width=, break_long_words=, wrapstring=, break_on_hyphens=',
    (run, v, width, breakLong = true, wrapstring, breakHyphens = true) => {
      const columns = integerArgument(width, 'width', 79);
      if (columns < 1) throw new TemplateError('wrongValue', "'width' must be at least 1");
      const by = textArgument(wrapstring ?? undefined, 'wrapstring', '\n');
      const text = needText(v, 'wordwrap');
      run.produce(text.length * (1 + by.length));
      return splitLines(text, false)
        .map((line) => wrap(line, columns, truthy(breakLong), truthy(breakHyphens), run).join(by))
        .join(by);
    },
  ),
  format: defineBuiltin('*', (run, v, args, keywords) => {
    const values = args as readonly unknown[];
    const named = keywords as Keywords;
    if (values.length > 0 && named.size > 0) {
      throw new TemplateError('wrongArguments', 'format takes positional or keyword arguments, not both');
    }
    return formatPercent(toText(v, run), named.size > 0 ? dictOf(named) : Tuple.make(values), run);
  }),
};

function needText(value: unknown, filter: string): string {
  const v = textual(value);
  if (typeof v === 'string') return v;
  if (v === undefined) return '';
  throw new TemplateError('wrongType', `${filter} needs a string, not ${valueTypeName(v)}`);
}

function indentWidth(width: number): number {
  if (width > 10_000) throw new TemplateError('tooMuchOutput', "'width' must not exceed 10000");
  return Math.max(0, width);
}

function truncate(
  run: Evaluation,
  value: unknown,
  length: number,
  killwords: boolean,
  end: string,
  leeway: number,
): unknown {
  if (length < end.length) {
    throw new TemplateError(
      'wrongValue',
      `'length' must be at least ${String(end.length)}, the length of the end`,
    );
  }
  if (leeway < 0) throw new TemplateError('wrongValue', "'leeway' must not be negative");
  if (lengthOf(value, run) <= length + leeway) return value;
  const text = needText(value, 'truncate');
  run.charge(run.prices.slicedChar * text.length);
  const chars = characters(text);
  const kept = chars.slice(0, length - end.length).join('');
  if (killwords) return kept + end;
  const space = kept.lastIndexOf(' ');
  return (space < 0 ? kept : kept.slice(0, space)) + end;
}
