import { evaluate, parseTemplate, TemplateError } from '.';
import { EXPLODED_MS, processorMs } from '../../../test/support/processor-time';

const deep = (open: string, middle: string, close: string, n: number): string =>
  open.repeat(n) + middle + close.repeat(n);
const nested = (levels: number): unknown => JSON.parse(deep('[', '', ']', levels)) as unknown;
const payload = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": "mine", "a": 1}') as unknown;

const context: Record<string, unknown> = {
  s: 'text',
  n: 5,
  xs: [1, 2, 3],
  d: { a: 1, items: [1] },
  payload,
  deepList: nested(5000),
  rows: Array.from({ length: 5000 }, (_, id) => ({ id, name: `row ${String(id)}` })),
  long: 'a'.repeat(100_000),
  wide: 'é😀'.repeat(50_000),
  bigDict: Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${String(i)}`, i])),
  f: () => 'called',
  sym: Symbol('s'),
};
const scope = { lookup: (name: string) => (Object.hasOwn(context, name) ? context[name] : undefined) };
const run = (template: string): unknown =>
  evaluate(parseTemplate(template), scope, { now: () => 0, random: () => 0.5 });

/** Every way to the host we know of: each must be undefined, plain data or a TemplateError. */
const escapes = [
  '{{ s.constructor }}',
  "{{ s['constructor'] }}",
  '{{ xs.constructor.constructor("return process")() }}',
  '{{ d.constructor.constructor("return globalThis")() }}',
  '{{ n.constructor }}',
  '{{ d.__proto__ }}',
  "{{ d['__pro' ~ 'to__'] }}",
  '{{ d.prototype }}',
  '{{ xs.map }}',
  '{{ xs.length }}',
  '{{ d.hasOwnProperty }}',
  "{{ d.hasOwnProperty('a') }}",
  "{{ d.__defineGetter__('x', f) }}",
  "{{ d.__lookupGetter__('__proto__') }}",
  '{{ d.toString() }}',
  '{{ d.valueOf() }}',
  "{{ s.replace.constructor('return 1')() }}",
  '{{ s.at(0) }}',
  '{{ f() }}',
  '{{ f }}',
  '{{ sym }}',
  "{{ f.call('x') }}",
  '{{ range.constructor }}',
  "{{ range.constructor('return 1')() }}",
  '{{ toString.constructor("return 1")() }}',
  '{{ constructor }}',
  '{{ __proto__ }}',
  '{{ globalThis }}',
  '{{ process.env }}',
  '{{ self.__init__.__globals__ }}',
  "{{ ''.__class__.__mro__[1].__subclasses__() }}",
  '{{ cycler.__init__.__globals__.os }}',
  '{{ namespace(a=1).__class__ }}',
  "{{ '{0.constructor}'.format(s) }}",
  "{{ '{0.__class__.__init__.__globals__}'.format(s) }}",
  "{{ '{0[constructor]}'.format(xs) }}",
  "{{ '%(constructor)s' % d }}",
  "{{ d | attr('constructor') }}",
  "{{ d | attr('__class__') }}",
  "{{ [d] | map(attribute='constructor') | list }}",
  "{{ [d] | map(attribute='__proto__.polluted') | list }}",
  "{{ [d] | map('constructor') | list }}",
  "{{ [d] | select('constructor') | list }}",
  "{{ [d] | groupby('__proto__') }}",
  "{{ [d] | sum(attribute='constructor') }}",
  "{{ xs | join(',', 'constructor') }}",
  '{{ d | constructor }}',
  '{{ d is constructor }}',
  '{{ d | __proto__ }}',
  '{{ dict.constructor }}',
  '{{ loop.constructor }}',
  '{% for x in xs %}{{ loop.constructor }}{{ loop.again }}{{ loop.items }}{% endfor %}',
  '{% macro m() %}{% endmacro %}{{ m.constructor }}{{ m.body }}{{ m.name }}',
  '{% set ns = namespace() %}{% set ns.__proto__ = 1 %}{{ ns.constructor }}',
  '{{ x["\\\\\\", context, [globalThis.PWN=process.version])), env.opts.autoescape); //"]() }}',
  '{{ x is \'odd"),(globalThis.PWN=process.version),env.getTest("odd\' }}',
  "{{ dict([['__proto__', {'polluted': 1}]]).polluted }}",
  "{{ dict(**{'__proto__': {'polluted': 1}}).polluted }}",
  "{{ {'__proto__': {'polluted': 1}}.polluted }}",
  '{{ \'{"__proto__": {"polluted": 1}}\' | fromjson | length }}',
  '{{ payload.polluted }}',
  '{{ dict(payload, b=1).polluted }}',
  '{{ payload.copy().polluted }}',
  '{{ d.update(payload) }}',
  '{{ xs.append(4) }}',
  '{{ caller.constructor }}',
];

describe('nothing of the host is in reach', () => {
  it.each(escapes)('%s', (template) => {
    let result: unknown;
    try {
      result = run(template);
    } catch (error) {
      expect(error).toBeInstanceOf(TemplateError);
      return;
    }
    expect(typeof result).not.toBe('function');
    expect(String(JSON.stringify(result) ?? '')).not.toMatch(
      /native code|polluted.{0,5}1(?!.*__proto__)|v\d+\.\d+\.\d+/,
    );
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect((globalThis as Record<string, unknown>)['PWN']).toBeUndefined();
  });

  it('keys named like the host are keys of the data', () => {
    expect(run('{{ payload.constructor }}')).toBe('mine');
    expect(run("{{ payload['__proto__'].polluted }}")).toBe(1);
    expect(run('{{ payload | tojson }}')).toBe(
      '{"__proto__": {"polluted": 1}, "a": 1, "constructor": "mine"}',
    );
    expect(context['xs']).toEqual([1, 2, 3]);
  });
});

/** Templates that would run forever, fill the memory or exhaust the stack: each must end soon with a limit's error. */
const bombs: readonly (readonly [string, string])[] = [
  ['a huge range', '{{ range(10 ** 12) | list }}'],
  ['a range without end', '{{ range(0, 10 ** 300) }}'],
  [
    'nested loops',
    '{% for a in range(999) %}{% for b in range(999) %}{% for c in range(999) %}x{% endfor %}{% endfor %}{% endfor %}',
  ],
  ['nested empty loops', '{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}'],
  ['string repetition', "{{ 'x' * 10 ** 10 }}"],
  ['repetition of a repetition', "{{ ('x' * 10 ** 5) * 10 ** 5 }}"],
  ['list repetition', '{{ [0] * 10 ** 9 }}'],
  [
    'doubling text',
    "{% set ns = namespace(s='xxxxxxxxxxxxxxxx') %}{% for i in range(60) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
  ],
  [
    'doubling a list',
    '{% set ns = namespace(s=[1]) %}{% for i in range(60) %}{% set ns.s = ns.s + ns.s %}{% endfor %}',
  ],
  [
    'a text of nested references',
    '{% set ns = namespace(s=[1]) %}{% for i in range(60) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}{{ ns.s }}',
  ],
  [
    'JSON of nested references',
    '{% set ns = namespace(s=[1]) %}{% for i in range(60) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}{{ ns.s | tojson }}',
  ],
  [
    'comparison of nested references',
    '{% set ns = namespace(s=[1], t=[1]) %}{% for i in range(60) %}{% set ns.s = [ns.s, ns.s] %}{% set ns.t = [ns.t, ns.t] %}{% endfor %}{{ ns.s == ns.t }}',
  ],
  [
    'a namespace that holds itself',
    '{% set ns = namespace() %}{% set ns.l = [ns] %}{{ [ns] == [ns] }}{{ ns.l }}{{ (ns.l) | tojson }}',
  ],
  ['padding', "{{ 'x'.ljust(10 ** 12) }}"],
  ['centering', "{{ 'x' | center(10 ** 12) }}"],
  ['a format width', "{{ '%999999999d' % 1 }}"],
  ['a format width by value', "{{ '{:{w}}'.format(1, w=10 ** 12) }}"],
  ['a format precision', "{{ '%.999999999f' % 1 }}"],
  ['indentation', "{{ ('x\\n' * 100000) | indent(9999) }}"],
  ['indented JSON', '{{ rows | tojson(indent=100000) }}'],
  ['a large power', '{{ 10 ** (10 ** 10) }}'],
  [
    'factorials',
    '{% set ns = namespace(n=1) %}{% for i in range(1, 9999) %}{% set ns.n = ns.n * i %}{% endfor %}',
  ],
  ['replacement that multiplies', "{{ long | replace('a', long) }}"],
  ['replacement of nothing', "{{ long | replace('', long) }}"],
  ['joining', '{{ rows | join(long) }}'],
  ['a macro that calls itself', '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}'],
  [
    'macros that call each other',
    '{% macro a() %}{{ b() }}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{{ a() }}{% endmacro %}{{ a() }}',
  ],
  ['a recursive loop without end', '{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}'],
  ['data nested deeply, as text', 'x{{ deepList }}'],
  ['data nested deeply, as JSON', '{{ deepList | tojson }}'],
  ['data nested deeply, compared', '{{ deepList == [deepList] }}'],
  ['JSON nested deeply', `{{ '${deep('[', '', ']', 5000)}' | fromjson }}`],
  ['parentheses nested deeply', `{{ ${deep('(', '1', ')', 5000)} }}`],
  ['lists nested deeply', `{{ ${deep('[', '1', ']', 5000)} }}`],
  ['negations nested deeply', `{{ ${'not '.repeat(5000)}1 }}`],
  ['signs nested deeply', `{{ ${'- '.repeat(5000)}1 }}`],
  ['blocks nested deeply', deep('{% if 1 %}', 'x', '{% endif %}', 5000)],
  ['a long sum', `{{ ${Array(20_000).fill('1').join('+')} }}`],
  ['a long chain of filters', `{{ 1${' | abs'.repeat(20_000)} }}`],
  ['a long path', `{{ a${'.b'.repeat(20_000)} }}`],
  ['conditionals nested deeply', `{{ ${'1 if 0 else '.repeat(5000)}2 }}`],
  ['a pattern with counted counts', `{{ 'x' | regex_search('((((a{99}){99}){99}){99}){99}') }}`],
  ['a pattern of repeated nothing', `{{ 'x' | regex_search('(?:(?:(?:){999}){999}){999}') }}`],
  ['a pattern nested deeply', `{{ 'x' | regex_search('${deep('(', 'a', ')', 500)}') }}`],
  ['unique containers', '{{ rows | unique | list | length }}'],
  ['lorem ipsum', '{{ lipsum(n=10 ** 9) }}'],
  ['an endless batch', '{{ [1] | batch(10 ** 9, 0) }}'],
  ['endless slices', '{{ [1] | slice(10 ** 9) }}'],
  ['a long word wrapped to nothing', '{{ long | wordwrap(1) }}'],
  ['a long text, character by character', '{% for i in range(99999) %}{{ wide[i] }}{% endfor %}'],
  [
    'a long text, changed again and again',
    '{% for i in range(99999) %}{% set x = wide | upper %}{% endfor %}',
  ],
  [
    'a long text, cut again and again',
    '{% for i in range(99999) %}{% set x = long[1:] | length %}{% endfor %}',
  ],
  [
    'a long text, counted again and again',
    '{% for i in range(99999) %}{% set x = long | title | wordcount %}{% endfor %}',
  ],
  [
    'a large dict, asked again and again',
    '{% for i in range(199999) %}{% if bigDict and bigDict %}{% endif %}{% endfor %}',
  ],
  [
    'a large dict, counted again and again',
    '{% for i in range(99999) %}{% set x = bigDict | length %}{% endfor %}',
  ],
  [
    'a large dict, copied again and again',
    '{% for i in range(99999) %}{% set x = dict(bigDict, a=1) %}{% endfor %}',
  ],
  [
    'a large dict, spread again and again',
    '{% for i in range(99999) %}{% set x = dict(**bigDict) %}{% endfor %}',
  ],
  [
    'a large dict, sorted again and again',
    '{% for i in range(99999) %}{% set x = bigDict | dictsort %}{% endfor %}',
  ],
  ['wide tabs', "{{ ('\\t' * 1000).expandtabs(10 ** 9) }}"],
  ['a hash of a long text, often', "{% for i in range(9999) %}{{ long | hash('sha512') }}{% endfor %}"],
  [
    'base64 of base64',
    '{% set ns = namespace(s=long) %}{% for i in range(99) %}{% set ns.s = ns.s | b64encode %}{% endfor %}',
  ],
];

/** Templates whose time would grow with the square of a text's length, or worse: each must end soon, anyhow. */
const slow: readonly (readonly [string, string])[] = [
  ['a needle of almost all', "{{ ('b' ~ long[:50000]) in long }}{{ (long[:50000] ~ 'b') in long }}"],
  ['a needle of two letters', "{{ ('ba' * 20000 ~ 'bb' ~ 'ab' * 20000) in ('ab' * 100000) }}"],
  [
    'a needle from behind',
    "{{ long.rfind(long[:50000] ~ 'b') }}{{ long.rpartition('b' ~ long[:50000]) | length }}",
  ],
  ['a needle that separates', "{{ ('ab' * 100000).split('ba' * 20000 ~ 'bb' ~ 'ab' * 20000) | length }}"],
  [
    'a needle that is replaced',
    "{{ ('ab' * 100000).replace('ba' * 20000 ~ 'bb' ~ 'ab' * 20000, 'x') | length }}",
  ],
  ['digits that are no number', "{{ ('1' * 100000 ~ 'x') | float(0) }}"],
  ['a date of many fractions', "{{ ('1' * 70 ~ 'x') | to_datetime('%f' * 15) }}"],
  ['a date of many days', "{{ ('1' * 30 ~ 'x') | to_datetime('%d' * 20) }}"],
  ['brackets that close nothing', "{{ (')' * 200000 ~ 'a') | urlize | length }}"],
  ['no tabs', '{{ long.expandtabs() | length }}'],
  ['tags that do not end', "{{ ('<!--<' * 40000) | striptags | length }}"],
  ['a format that does not end', "{{ ('{:{a}' * 2000).format(a=1) }}"],
  ['a name that does not end', "{{ ('%(' * 50000) % 1 }}"],
  ['long equal keys', "{{ [long ~ 'a', long ~ 'b', long ~ 'c'] * 20 | sort | length }}"],
  ['long equal elements', "{{ [long ~ 'a'] * 1000 == [long ~ 'b'] * 1000 }}"],
  [
    'a date in a long format, often',
    "{% for i in range(999) %}{% set x = now() | strftime('%Y' * 10000) %}{% endfor %}",
  ],
];

describe('a slow template ends soon', () => {
  it.each(slow)('%s', async (_, template) => {
    const took = await processorMs(() => {
      try {
        run(template);
      } catch (error) {
        expect(error).toBeInstanceOf(TemplateError);
      }
    });
    expect(took).toBeLessThan(EXPLODED_MS);
  });
});

describe('a hostile template ends in a clear error', () => {
  beforeAll(() => {
    for (let i = 0; i < 200; i++) run('{% for r in rows[:20] %}{{ r.name | upper }}{% endfor %}');
  });

  it.each(bombs)('%s', async (_, template) => {
    const before = process.memoryUsage().heapUsed;
    let failure: unknown;
    const took = await processorMs(() => {
      try {
        run(template);
      } catch (error) {
        failure = error;
      }
    });
    expect(failure).toBeInstanceOf(TemplateError);
    expect((failure as TemplateError).code).toMatch(/^NT(4002|42\d\d|4110|4112|4113)$/);
    expect(took).toBeLessThan(EXPLODED_MS);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(300 * 1024 * 1024);
    if (process.env['NOETL_SLOWEST'] && took > 50)
      console.log(`${took.toFixed(0)} ms: ${template.slice(0, 80)}`);
  });
});
