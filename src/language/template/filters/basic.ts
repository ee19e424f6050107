import { defineBuiltin, type Builtins } from '../evaluate/signature';
import { follow } from '../values/access';
import { dictArgument, integerArgument, textArgument } from '../values/arguments';
import { isDict, resolve, Tuple } from '../values/kinds';
import { dumpJson, templateJson } from '../values/json';
import { listedItems, lengthOf } from '../values/sequence';
import { repr, toText } from '../values/text';
import { truthy } from '../values/truth';

const length = defineBuiltin('', (run, v) => lengthOf(v, run));
const defaultFilter = defineBuiltin('default_value=, boolean=', (_run, v, ...args) => {
  const [fallback, boolean] = args;
  return v === undefined || (truthy(boolean) && !truthy(v)) ? (args.length > 0 ? fallback : '') : v;
});

/** Filters for any value. */
export const basicFilters: Builtins = {
  default: defaultFilter,
  d: defaultFilter,
  length,
  count: length,
  string: defineBuiltin('', (run, v) => toText(v, run)),
  list: defineBuiltin('', (run, v) => {
    const items = listedItems(v, run, 'list');
    run.elements(items.length);
    return [...items];
  }),
  items: defineBuiltin('', (run, v) => {
    if (v === undefined) return [];
    const entries = Object.entries(dictArgument(v, 'items'));
    // A pair per key: a list within the list.
    run.charge(run.prices.dictKey * entries.length);
    run.elements(entries.length * 2);
    return entries.map((entry) => Tuple.make(entry));
  }),
  attr: defineBuiltin('name', (_run, v, name) => follow(v, [textArgument(name, 'name')])),
  tojson: defineBuiltin('indent=', (run, v, indent) => {
    const width = resolve(indent) ?? undefined;
    const json = dumpJson(v, run, width === undefined ? undefined : integerArgument(width, 'indent'));
    return htmlSafe(json);
  }),
  fromjson: defineBuiltin('', (run, v) => templateJson(textArgument(v, 'fromjson'), run)),
  pprint: defineBuiltin('', (run, v) => {
    const value = resolve(v);
    return isDict(value)
      ? repr(Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))), run)
      : repr(value, run);
  }),
  safe: defineBuiltin('', (run, v) => toText(v, run)),
};

const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  "'": '\\u0027',
};

/** Playbooks put `'{{ x | tojson }}'` between single quotes and rely on Jinja2 escaping them. */
function htmlSafe(json: string): string {
  return json.replace(/[<>&']/g, (char) => escapes[char]!);
}
