import { TemplateError } from '../errors';
import { type Evaluation } from '../evaluate/run';
import { defineBuiltin, type Builtins } from '../evaluate/signature';
import { attributePath, follow } from '../values/access';
import { type Keywords } from '../values/kinds';
import { listedItems } from '../values/sequence';
import { truthy } from '../values/truth';

/** Filters that apply a filter or test to each element. */
export const selectFilters: Builtins = {
  map: defineBuiltin('*', (run, v, args, keywords) => {
    const items = elementsOf(run, v, 'map');
    const each = mapper(run, args as readonly unknown[], keywords as Keywords);
    run.elements(items.length);
    return items.map((element) => {
      run.charge(run.prices.visitedElement);
      return each(element);
    });
  }),
  select: choose('select', false, true),
  reject: choose('reject', false, false),
  selectattr: choose('selectattr', true, true),
  rejectattr: choose('rejectattr', true, false),
};

/** Like Jinja2, treats every false value as an empty list, including `none` and 0. */
function elementsOf(run: Evaluation, value: unknown, filter: string): readonly unknown[] {
  return truthy(value) ? listedItems(value, run, filter) : [];
}

function mapper(
  run: Evaluation,
  args: readonly unknown[],
  keywords: Keywords,
): (element: unknown) => unknown {
  const [name, ...rest] = args;
  if (args.length === 0 && keywords.has('attribute')) {
    for (const key of keywords.keys()) {
      if (key === 'attribute' || key === 'default') continue;
      throw new TemplateError('wrongArguments', `map(attribute=…) has no argument '${key}'`);
    }
    const path = attributePath(keywords.get('attribute'));
    const fallback = keywords.get('default') ?? undefined;
    return (element) => withDefault(element, path, fallback);
  }
  if (typeof name !== 'string') {
    throw new TemplateError('wrongArguments', "map needs a filter's name or attribute=…");
  }
  return (element) => run.filter(run, name, element, rest, keywords);
}

/** The default replaces each missing step of the path, as in Jinja2. */
function withDefault(element: unknown, path: readonly (string | number)[], fallback: unknown): unknown {
  if (fallback === undefined) return follow(element, path);
  let value = element;
  for (const key of path) value = follow(value, [key]) === undefined ? fallback : follow(value, [key]);
  return value;
}

function choose(name: string, byAttribute: boolean, keep: boolean): Builtins[string] {
  return defineBuiltin('*', (run, v, args, keywords) => {
    const rest = [...(args as readonly unknown[])];
    const items = elementsOf(run, v, name);
    if (byAttribute && rest.length === 0) {
      throw new TemplateError('wrongArguments', `${name} needs the attribute's name`);
    }
    const path = byAttribute ? attributePath(rest.shift()) : [];
    const test = rest.shift();
    if (test !== undefined && typeof test !== 'string') {
      throw new TemplateError('wrongArguments', `${name} needs a test's name`);
    }
    const matches = (value: unknown): boolean =>
      truthy(test === undefined ? value : run.test(run, test, value, rest, keywords as Keywords));
    return items.filter((element) => {
      run.elements(1);
      return matches(follow(element, path)) === keep;
    });
  });
}
