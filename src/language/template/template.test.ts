import {
  truthOfCondition,
  equals,
  evaluate,
  evaluateRaw,
  formatTemplateError,
  hasTemplateSyntax,
  parseExpression,
  parseTemplate,
  plainValue,
  references,
  TemplateError,
  TemplateSyntaxError,
  toText,
  truthy,
  valueTypeName,
  View,
  type ParseOptions,
} from '.';

const world = { now: () => Date.parse('2026-01-15T12:00:00Z'), random: () => 0.5 };

function run(source: string, names: Record<string, unknown> = {}): unknown {
  const lookup = (name: string): unknown => (Object.hasOwn(names, name) ? names[name] : undefined);
  return evaluate(parseTemplate(source), { lookup }, world);
}

function failure(
  source: string,
  names: Record<string, unknown> = {},
  options: ParseOptions = {},
): TemplateError {
  const lookup = (name: string): unknown => names[name];
  try {
    evaluate(parseTemplate(source, options), { lookup });
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error(`nothing is wrong with ${source}`);
}

/** An event that goes by two names, and a step's result whose envelope answers before its payload. */
class Alias extends View {
  get(key: string | number): unknown {
    return key === 'name' ? 'step.done' : undefined;
  }
  plain(): unknown {
    return 'step.done';
  }
  override equals(other: unknown): boolean {
    return other === 'step.done' || other === 'step.exit';
  }
}
class Result extends View {
  get(key: string | number): unknown {
    if (key === 'status_code') return 200;
    return (this.plain() as Record<string, unknown>)[key];
  }
  plain(): unknown {
    return { rows: [1, 2] };
  }
}

describe('a string that is one expression', () => {
  it.each([
    ['{{ x }}', [1, { a: null }]],
    ['{{ x }}\n', [1, { a: null }]],
    ["{{ '007' }}", '007'],
    ['{{ nope }}', undefined],
    ['{{ [nope] }}', [null]],
    ['{{ 4 / 2 }}', 2],
    ['{{ (1, 2) }}', [1, 2]],
    ['{{ {1: "a"}[1] }}', 'a'],
    ['{{ 2 ** 64 == 18446744073709551616 }}', true],
  ])('%s has a native value', (source, value) => {
    expect(run(source, { x: [1, { a: null }] })).toEqual(value);
  });

  it.each([
    [' {{ x }}', ' 1'],
    ['{{ x }}{{ x }}', '11'],
    ['{# note #}{{ x }}', '1'],
    ['{{ 4 / 2 }} {{ 2 ** 64 }}', '2.0 18446744073709551616'],
    ['{{ [none, true, "a\'b", 1.0, (1,)] }}.', '[None, True, "a\'b", 1.0, (1,)].'],
  ])('but %s is text', (source, text) => {
    expect(run(source, { x: 1 })).toBe(text);
  });

  it('does not touch data it only passes through', () => {
    const rows = [{ id: 1 }];
    expect(run('{{ x }}', { x: rows })).toBe(rows);
  });
});

describe('the grammar of Jinja2 where nunjucks has its own', () => {
  it.each([
    ['{{ 7 * 5 // 2 }}', 17],
    ['{{ 2 - 1 + 1 }}', 2],
    ["{{ 'a' ~ 1 + 1 }}", undefined],
    ['{{ -2 ** 2 }}', 4],
    ['{{ 1 < 2 < 3 }}', true],
    ['{{ 3 in [1, 2] or 6 is divisibleby 3 }}', true],
    ['{{ 1 if 0 else 2 if 0 else 3 }}', 3],
    ['{{ "a" "b" }}', 'ab'],
    ['{{ {"a": {"b": 1}}.a.b }}', 1],
    ['{{ {"a": {"b": 1}}}}', { a: { b: 1 } }],
    ["{{ '\\d+\\n' }}", '\\d+\n'],
    ['{{ 1_000 + 0x1f }}', 1031],
    ['{{ [[1, 2], [3]][0].1 }}', 2],
    ['{{ "abc"[::-1] }}', 'cba'],
    ['{{ x is not none and x is defined }}', true],
    ['{{ r/2 }}', 2],
  ])('%s', (source, value) => {
    if (value === undefined) expect(failure(source).code).toBe('NT4110');
    else expect(run(source, { x: 1, r: 4 })).toEqual(value);
  });

  it.each([
    ['{% if a %}\n  x\n{%- endif %}', '\n  x'],
    ['a  {%- if 1 -%}  b  {%- endif -%}  c', 'abc'],
    ['a {#- note -#} b', 'ab'],
    ['{% raw %}{{ a }}{% endraw %} #} %}', '{{ a }} #} %}'],
    ['x\r\ny\r\n', 'x\ny'],
    ['{% for k, (a, b) in [(1, (2, 3))] %}{{ k }}{{ a }}{{ b }}{% endfor %}', '123'],
    ['{% for x in [1, 2, 3] if x > 1 %}{{ loop.index }}/{{ loop.length }} {% endfor %}', '1/2 2/2 '],
    ['{% for n in t recursive %}{{ n.v }}{{ loop(n.c) if n.c }}{% endfor %}', '12'],
    ['{% macro m(a) %}{{ a }}[{{ caller(1) }}]{% endmacro %}{% call(x) m(2) %}{{ x }}{% endcall %}', '2[1]'],
    ['{% macro m() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, b=2) }}', "(1,){'b': 2}"],
    ['{% set x | upper %}a{% endset %}{{ x }}', 'A'],
    ['{% block b %}{% set x = 2 %}{{ x }}{% endblock %}{{ x }}', '2'],
    ['{% for x in [1] %}{% set y = x %}{% endfor %}{{ y is defined }}', 'False'],
    ['{% if 1 %}{% set y = 1 %}{% endif %}{{ y }}', '1'],
    ['{% set j = joiner("|") %}{{ j() }}a{{ j() }}b', 'a|b'],
  ])('%s', (source, text) => {
    expect(run(source, { a: 1, t: [{ v: 1, c: [{ v: 2 }] }] })).toBe(text);
  });

  it('a bare expression', () => {
    const scope = { lookup: () => 2 };
    expect(evaluate(parseExpression('x + 1'), scope)).toBe(3);
    expect(() => parseExpression('x +')).toThrow('expected an expression, got the end of the template');
    expect(() => parseExpression('x }} y')).toThrow(TemplateSyntaxError);
  });

  it('knows what needs it at all', () => {
    expect(['a', '{ {', '{{ a }}', '{% if %}', '{# #}'].map(hasTemplateSyntax)).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
  });
});

describe('values', () => {
  it('a data key wins over a method, a method exists only when called', () => {
    const d = { items: [1], keys: 2 };
    expect(run('{{ d.items }}', { d })).toEqual([1]);
    expect(run('{{ d.items() }}', { d })).toEqual([['items', [1]], ['keys', 2]]); // prettier-ignore
    expect(run('{{ d.values }}', { d })).toBeUndefined();
    expect(run("{{ d.get('x', 3) }}", { d })).toBe(3);
  });

  it('a guard takes the texts that mean no for no', () => {
    for (const no of ['', 'false', 'False', '0', 'none', 'None', 0, null, undefined, [], {}]) {
      expect([no, truthOfCondition(no)]).toEqual([no, false]);
    }
    for (const yes of ['x', 'no', ' ', 1, [0], { a: 1 }])
      expect([yes, truthOfCondition(yes)]).toEqual([yes, true]);
    expect(truthy('false')).toBe(true);
  });

  it('types go by their names in Python', () => {
    expect([null, undefined, true, 1, 1.5, 'a', [], {}].map(valueTypeName)).toEqual(
      'NoneType undefined bool int float str list dict'.split(' '),
    );
  });

  it('equality is deep and strict', () => {
    expect(equals({ a: [1, true] }, { a: [1, 1] })).toBe(true);
    expect(equals('1', 1)).toBe(false);
    expect(equals(null, undefined)).toBe(false);
  });

  it('a view answers look-ups, and is its plain value everywhere else', () => {
    const step = new Result();
    expect(run('{{ step.status_code }} {{ step.rows[0] }} {{ step | length }} {{ step }}', { step })).toBe(
      "200 1 1 {'rows': [1, 2]}",
    );
    expect(run("{{ step.get('status_code') + step.get('zz', 1) }}", { step })).toBe(201);
    expect(run('{{ step == {"rows": [1, 2]} and step is mapping }}', { step })).toBe(true);
    expect(run('{{ [step] }}', { step })).toEqual([{ rows: [1, 2] }]);
    expect(plainValue(step)).toEqual({ rows: [1, 2] });
    expect(toText(step)).toBe("{'rows': [1, 2]}");
    expect(evaluateRaw(parseTemplate('{{ step }}'), { lookup: () => step })).toBe(step);
  });

  it('a view may decide what it equals', () => {
    const event = { name: new Alias() };
    expect(run("{{ event.name == 'step.exit' and event.name in ['step.exit'] }}", { event })).toBe(true);
    expect(run("{{ 'call.error' != event.name and event.name != 'x' }}", { event })).toBe(true);
  });

  it('time and chance come from the environment, and only from there', () => {
    expect(run('{{ now() }}')).toBe('2026-01-15T12:00:00+00:00');
    expect(run('{{ uuid() }}')).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(run('{{ [1, 2, 3] | random }}')).toBe(2);
    expect(failure('{{ now() }}').code).toBe('NT4120');
    expect(run('{{ now }}', { now: 'mine' })).toBe('mine');
  });
});

describe('filters beyond Jinja2', () => {
  it.each([
    ["{{ 'Grüße' | b64encode }}", 'R3LDvMOfZQ=='],
    ["{{ 'R3LDvMOfZQ' | b64decode }}", 'Grüße'],
    ["{{ 'abc' | hash('md5') }}", '900150983cd24fb0d6963f7d28e17f72'],
    ["{{ 'abc' | hash }}", 'a9993e364706816aba3e25717850c26c9cd0d89d'],
    ["{{ 'abc' | hash('sha256') }}", 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ["{{ ('abc' | hash('sha512'))[:32] }}", 'ddaf35a193617abacc417349ae204131'],
    [
      "{{ ('a' * 200) | hash('sha256') }}",
      'c2a908d98f5df987ade41b5fce213067efbcc21ef2240212a41e54b5e7c28ae5',
    ],
    ["{{ 'a1b22' | regex_findall('[0-9]+') }}", ['1', '22']],
    ["{{ 'a1b22' | regex_replace('([a-z])(\\d)', '\\\\2\\\\1') }}", '1a2b2'],
    ["{{ 'key=val' | regex_search('(?P<k>\\w+)=(\\w+)', '\\g<k>', '\\\\2') }}", ['key', 'val']],
    ["{{ 'x' | regex_search('y') }}", null],
    ["{{ 'foobar' is match('foo') and 'foobar' is search('(?i)BAR$') }}", true],
    ["{{ 'a, b;c' | regex_split('[,;] *') }}", ['a', 'b', 'c']],
    ["{{ 'foobar' | regex_replace('(?<=o)b(?!x)', '-') }}", 'foo-ar'],
    ["{{ 'aaa' | regex_search('a{2}?') }}", 'aa'],
    ["{{ 'a.b' | regex_escape }}", 'a\\.b'],
    ["{{ ('2024-03-01' | to_datetime - '2024-02-28' | to_datetime).days }}", 2],
    ["{{ '01.03.2024 14:05' | to_datetime('%d.%m.%Y %H:%M') }}", '2024-03-01T14:05:00'],
    [
      "{{ '2024-03-01T00:30:00+02:00' | strftime('%a %d %b %Y %H:%M %z, day %j') }}",
      'Fri 01 Mar 2024 00:30 +0200, day 061',
    ],
    ['{{ (86400 * 365 | to_datetime).year }}', undefined],
    ['{{ ((86400 * 365) | to_datetime).year }}', 1971],
    ["{{ '2024-01-01' | to_datetime < now() | to_datetime }}", true],
    ['{{ \'[1.0, {"a": null}]\' | fromjson | tojson }}', '[1.0, {"a": null}]'],
    ['{{ [[1, [2]], 3] | flatten }}', [1, 2, 3]],
    ["{{ 'a%20b+c' | urldecode }}", 'a b c'],
  ])('%s', (source, value) => {
    if (value === undefined) expect(() => run(source)).toThrow(TemplateError);
    else expect(run(source)).toEqual(value);
  });
});

describe('errors say what is wrong', () => {
  it.each([
    ['{{ x | uper }}', 'NT4102', "unknown filter 'uper': did you mean 'upper'?", 7],
    ['{{ x is defned }}', 'NT4103', "unknown test 'defned': did you mean 'defined'?", 8],
    ['{{ x.uper() }}', 'NT4104', "str has no method 'uper()': did you mean 'upper'?", 5],
    ['{{ rnage(3) }}', 'NT4101', "unknown function 'rnage()': did you mean 'range'?", 3],
    ['{{ x + 1 }}', 'NT4110', "'+' cannot take str and int: use ~ to join strings", 5],
    ['{{ nope + 1 }}', 'NT4111', "'+' needs a value on its left, which is undefined: use default(…)", 8],
    ['{{ none < 4 }}', 'NT4110', "'<' cannot compare NoneType with int", 3],
    [
      '{{ xs.append(1) }}',
      'NT4104',
      "'append()' would modify the data, which templates cannot do: write list + [x]",
      6,
    ],
    ['{{ x | replace("a") }}', 'NT4105', "the filter replace needs 'new'", 7],
    [
      '{{ x | truncate(lenght=3) }}',
      'NT4105',
      "the filter truncate has no argument 'lenght': did you mean 'length'?",
      7,
    ],
    ['{{ now }}', 'NT4110', "'now' is a function: call it, now(…)", 3],
    ['{{ 1 + }}', 'NT4001', "expected an expression, got '}}'", 7],
    ['{{ x', 'NT4001', 'this tag is never closed', 0],
    ["{{ 'x }}", 'NT4001', 'this string is never closed', 3],
    ['{{ x === 1 }}', 'NT4001', "unexpected '===': write '=='", 5],
    ['{% if x %}a', 'NT4001', '{% if %} is never closed: {% endif %} is missing', 6],
    ['{% endif %}', 'NT4001', '{% endif %} closes nothing here: no block is open', 3],
    ['{% inclde "x" %}', 'NT4003', "unknown tag 'inclde'", 3],
    [
      "{% include 'x' %}",
      'NT4003',
      '{% include %} is not supported: a playbook template stands alone: it cannot load other templates',
      3,
    ],
  ])('%s', (source, code, message, offset) => {
    const error = failure(source, { x: 'text', xs: [] });
    expect([error.code, error.message, error.offset]).toEqual([code, message, offset]);
  });

  it('with the place in the document, inside a block scalar too', () => {
    const source = 'SELECT 1\nWHERE a = {{ x | uper }}\n';
    const indented = (offset: number): [number, number] => {
      const before = source.slice(0, offset).split('\n');
      return [10 + before.length, 7 + before.at(-1)!.length];
    };
    const error = failure(source, { x: 'a' }, { locate: indented });
    expect(error.at).toEqual([12, 24]);
    expect(formatTemplateError(error)).toBe(
      [
        "unknown filter 'uper': did you mean 'upper'? (NT4102, line 12, column 24)",
        '  WHERE a = {{ x | uper }}',
        '                   ^',
      ].join('\n'),
    );
  });

  it('with the place in a folded scalar, whose lines the string no longer has', () => {
    const source = 'a b {{ x }} {{ y | uper }}';
    const folded = (offset: number): [number, number] =>
      offset < 12 ? [3, 5 + offset] : [4, 5 + offset - 12];
    expect(failure(source, { y: 1 }, { locate: folded }).at).toEqual([4, 12]);
    expect(parseTemplate(source, { locate: folded }).map).toEqual([[12, 4, 5]]);
  });
});

describe('references', () => {
  const names = (source: string): string[] =>
    references(parseTemplate(source))
      .filter(({ kind }) => kind === 'name')
      .map(
        ({ root, path, dynamic, guarded }) =>
          [root, ...path].join('.') + (dynamic ? '[]' : '') + (guarded ? '?' : ''),
      );

  it.each([
    ['{{ workload.a.b[0] }}', ['workload.a.b.0']],
    ['{{ workload[x].y }}', ['workload[]', 'x']],
    ["{{ keychain.get('token') }}", ['keychain.token']],
    ['{{ keychain.get(x) }}', ['keychain[]', 'x']],
    ['{{ a.items() | length }}', ['a']],
    ['{{ a.b | default(c) }}', ['a.b?', 'c']],
    ['{{ a.b is defined and a.b.c > d }}', ['a.b?', 'a.b.c?', 'd']],
    ['{{ a if a else b }}', ['a?', 'a', 'b']],
    ['{% for x in xs %}{{ x.y }}{{ loop.index }}{{ z }}{% endfor %}{{ x }}', ['xs', 'z', 'x']],
    ['{% set s = a %}{{ s }}{% macro m(p, q=r) %}{{ p }}{{ kwargs }}{% endmacro %}{{ m(s) }}', ['a', 'r']],
    ['{% if e is defined %}{{ e.kind }}{% endif %}{{ e }}', ['e?', 'e.kind?', 'e']],
    ['{{ {"k": v}.k ~ f[1:n] }}', ['v', 'f', 'n']],
  ])('%s', (source, expected) => {
    expect(names(source)).toEqual(expected);
  });

  it('names the filters, tests, functions and methods used, with their places', () => {
    const found = references(
      parseTemplate("{{ xs | map('upper') | select('odd') | join is string or now() or s.split() }}"),
    );
    expect(found.filter(({ kind }) => kind !== 'name').map(({ kind, root }) => `${kind} ${root}`)).toEqual([
      'filter map',
      'filter upper',
      'filter select',
      'test odd',
      'filter join',
      'test string',
      'call now',
      'method split',
    ]);
    expect(found.find(({ root }) => root === 'join')?.offset).toBe(39);
  });
});
