/** The value of a loop: a list wherever a list is asked for, a mapping everywhere else. */
import { evaluate, loopResult, parseTemplate, resultsOf, TemplateError, truthy, View } from '.';

const done = loopResult([{ n: 1 }, { n: 2 }, null], { success: 2, failed: 1, not_started: 0 });
const none = loopResult([], { success: 0, failed: 0, not_started: 0 });

/** As a step's name finds it. */
class Step extends View {
  get(key: string | number): unknown {
    return typeof key === 'number' ? done.results.at(key) : (done as Record<string, unknown>)[key];
  }
  plain(): unknown {
    return done;
  }
}

function run(source: string, names: Record<string, unknown>): unknown {
  const lookup = (name: string): unknown => (Object.hasOwn(names, name) ? names[name] : undefined);
  return evaluate(parseTemplate(source), { lookup }, { now: () => 0, random: () => 0.5 });
}

const AS_LIST: readonly (readonly [string, unknown])[] = [
  ['{{ x[0].n }}', 1],
  ['{{ x[-2].n }}', 2],
  ['{{ x[7] is defined }}', false],
  ['{{ x[1:] }}', [{ n: 2 }, null]],
  ['{{ x | length }}', 3],
  ['{% for one in x %}{{ one.n if one else "-" }} {% endfor %}', '1 2 - '],
  ['{{ x | select | map(attribute="n") | sum }}', 3],
  ['{{ x | first }}', { n: 1 }],
  ['{{ x | list }}', done.results],
  ['{{ x | string }}', "[{'n': 1}, {'n': 2}, None]"],
  ['{{ none in x }}', true],
  ['{{ "results" in x }}', false],
  ['{{ x + [4] }}', [...done.results, 4]],
  ['{{ [4] + x }}', [4, ...done.results]],
  ['{{ (x + x) | length }}', 6],
  ['{{ (x * 2) | length }}', 6],
  ['{{ x == [{"n": 1}, {"n": 2}, none] }}', true],
  ['{{ [{"n": 1}, {"n": 2}, none] == x }}', true],
  ['{{ x != [] }}', true],
  ['{{ "yes" if x else "no" }}', 'yes'],
  ['{{ [x, [5]] | flatten | length }}', 4],
  ['{{ x is sequence }}', true],
];

const AS_MAPPING: readonly (readonly [string, unknown])[] = [
  ['{{ x }}', done],
  ['{{ x.results }}', done.results],
  ['{{ x["stats"].failed }}', 1],
  ['{{ x.get("results", []) | length }}', 3],
  ['{{ x.get("other", 7) }}', 7],
  ['{{ x.keys() | list }}', ['results', 'count', 'stats']],
  ['{{ x.values() | list | length }}', 3],
  ['{% for key, value in x.items() %}{{ key }} {% endfor %}', 'results count stats '],
  ['{% for key, value in x | items %}{{ key }} {% endfor %}', 'results count stats '],
  ['{{ (x | dictsort)[0][0] }}', 'count'],
  ['{{ (x | default([])).stats.total }}', 3],
  ['{{ x | tojson | fromjson }}', done],
  ['count: {{ x }}', /^count: {'results': \[{'n': 1}, {'n': 2}, None\], 'count': 3, 'stats': {'total': 3, /],
  ['{{ x == {"results": x.results, "count": 3, "stats": x.stats} }}', true],
  ['{{ x is mapping }}', true],
];

describe.each([
  ['behind a name', new Step()],
  ['stored', JSON.parse(JSON.stringify(done)) as unknown],
])('%s it is', (_, x) => {
  it.each(AS_LIST)('a list in %s', (source, expected) => {
    expect(run(source, { x })).toEqual(expected);
  });

  it.each(AS_MAPPING)('a mapping in %s', (source, expected) => {
    const value = run(source, { x });
    if (expected instanceof RegExp) expect(value).toMatch(expected);
    else expect(value).toEqual(expected);
  });
});

it('of no iterations is false, as an empty list is', () => {
  expect(truthy(none)).toBe(false);
  expect(run('{{ "some" if x else "none" }}, {{ x | length }}, {{ x == [] }}', { x: none })).toBe(
    'none, 0, True',
  );
});

it('is told from every mapping that only looks like it', () => {
  const { results, count, stats } = done;
  const alike = [
    { results, count },
    { results, count: 2, stats },
    { results, count, stats: { ...stats, total: 2 } },
    { results, count, stats: { total: 3, success: 2, failed: 1 } },
    { results, count, stats: { ...stats, failed: '1' } },
    { results, count, stats: { ...stats, more: 1 } },
    { results, count, stats, next: null },
    { results: { length: 3 }, count, stats },
    { results, count, stats: [3, 2, 1, 0] },
    { results, count, stats: null },
    { results: 'abc', count, stats },
    results,
    null,
    'results',
  ];
  for (const value of alike) expect(resultsOf(value)).toBeUndefined();
  expect(run('{{ x | length }} {{ "count" in x }}', { x: alike[1] })).toBe('3 True');
  expect(run('{{ x[0] is defined }}', { x: alike[1] })).toBe(false);
});

it('gives data of that shape nothing but its own results, however hostile they are', () => {
  const hostile = loopResult([{ ['__proto__']: 1, constructor: 2 }], {
    success: -1,
    failed: 9e15,
    not_started: 0,
  });
  expect(resultsOf(hostile)).toBe(hostile.results);
  expect(run('{{ x[0].constructor }} {{ x.constructor is defined }} {{ x | length }}', { x: hostile })).toBe(
    '2 False 1',
  );
  const deep = Array.from({ length: 200 }).reduce<unknown>(
    (inner) => loopResult([inner], { success: 1, failed: 0, not_started: 0 }),
    [],
  );
  expect(() => run('{{ [x] | flatten }}', { x: deep })).toThrow(TemplateError);
});
