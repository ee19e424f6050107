/**
 * Random templates and contexts of the kinds people write, for comparison with Jinja2. Seeded: a case can be made
 * again from its number. Most expressions are well typed; some are not, to compare what is refused.
 */
export interface GeneratedCase {
  readonly expression?: string;
  readonly template?: string;
  readonly context: Record<string, unknown>;
}

type Kind = 'int' | 'float' | 'str' | 'bool' | 'list' | 'strs' | 'dict' | 'rows' | 'none' | 'missing';

const texts = [
  '',
  'a',
  'Hello World',
  ' pad ',
  'a,b,,c',
  "it's",
  '"q"',
  'x\ny',
  'été ✓',
  '😀 b',
  '42',
  '3.7',
  'A-b_c',
  '<b>&</b>',
  'null',
];
const integers = [0, 1, -1, 2, 3, 7, 10, -7, 100, 255, 1000000];
const floats = [0.5, 2.5, -2.5, 3.14159, 1.0, 0.1, -0.25, 1e20, 1.5e-7, 100.0, 2.675];

/** A float that keeps its point in JSON, so that Python reads 1.0 as a float. */
export class FloatLiteral {
  constructor(readonly n: number) {}
}

/** JSON of a case, with the floats that are integral written with their point. */
export function caseJson(value: unknown): string {
  if (value instanceof FloatLiteral)
    return Number.isInteger(value.n) ? `${value.n.toString()}.0` : String(value.n);
  if (Array.isArray(value)) return `[${value.map(caseJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, part]) => `${JSON.stringify(key)}:${caseJson(part)}`)
      .join(',')}}`;
  }
  return JSON.stringify(value);
}

export class Generator {
  constructor(private state: number) {}

  /** mulberry32: small, and good enough to choose among alternatives. */
  private next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  private pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.next() * from.length)]!;
  }

  private chance(p: number): boolean {
    return this.next() < p;
  }

  case(): GeneratedCase {
    const context = this.context();
    if (this.chance(0.2)) return { template: this.statements(), context };
    const outermost = this.chance(0.15)
      ? this.pick([' | tojson', ' | e', ' | pprint | length >= 0', ' | tojson(indent=2)'])
      : '';
    const kind = this.pick<Kind>(['int', 'float', 'str', 'bool', 'list', 'strs', 'dict', 'rows']);
    const expression = this.of(kind, 4);
    return { expression: outermost ? `(${expression})${outermost}` : expression, context };
  }

  private context(): Record<string, unknown> {
    const text = (): string => this.pick(texts);
    const row = (id: number): Record<string, unknown> => ({
      id,
      name: text(),
      score: this.chance(0.2)
        ? null
        : this.chance(0.5)
          ? this.pick(integers)
          : new FloatLiteral(this.pick(floats)),
      ok: this.chance(0.5),
      tags: Array.from({ length: Math.floor(this.next() * 3) }, text),
      ...(this.chance(0.5) && { addr: { city: text() } }),
    });
    return {
      i: this.pick(integers),
      j: this.pick(integers),
      f: new FloatLiteral(this.pick(floats)),
      g: new FloatLiteral(this.pick(floats)),
      s: text(),
      t: text(),
      yes: true,
      no: false,
      nil: null,
      xs: Array.from({ length: Math.floor(this.next() * 6) }, () => this.pick(integers)),
      ss: Array.from({ length: Math.floor(this.next() * 5) }, text),
      d: { a: this.pick(integers), b: text(), items: [1, 2], n: { deep: [text(), null] } },
      rows: Array.from({ length: Math.floor(this.next() * 5) }, (_, i) => row(i + 1)),
    };
  }

  /** An expression of (nearly always) this kind. */
  private of(kind: Kind, depth: number): string {
    if (this.chance(0.03))
      return this.of(this.pick<Kind>(['int', 'str', 'list', 'dict', 'none', 'missing', 'bool']), depth - 1);
    if (depth <= 0) return this.leaf(kind);
    const make = { ...makers, missing: [], none: [] }[kind] as readonly Maker[];
    if (make.length === 0 || this.chance(0.25)) return this.leaf(kind);
    if (this.chance(0.08)) {
      return `(${this.of(kind, depth - 1)} if ${this.of('bool', depth - 1)} else ${this.of(kind, depth - 1)})`;
    }
    return this.fill(this.pick(make), depth - 1);
  }

  /** Replaces `<kind>` in a pattern by expressions of the kind. */
  private fill(pattern: Maker, depth: number): string {
    return pattern.replace(/<(\w+)>/g, (_, kind: string) => {
      if (kind === 'small') return String(Math.floor(this.next() * 5));
      if (kind === 'index') return String(Math.floor(this.next() * 8) - 4);
      if (kind === 'count') return String(1 + Math.floor(this.next() * 4));
      if (kind === 'lit') return this.literal(this.pick(['', 'a', ' ', ',', 'b', 'é', 'o', '-']));
      return `(${this.of(kind as Kind, depth)})`;
    });
  }

  private literal(text: string): string {
    return `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'").replace(/\n/g, '\\n')}'`;
  }

  private leaf(kind: Kind): string {
    switch (kind) {
      case 'int':
        return this.pick([
          'i',
          'j',
          'd.a',
          'xs[0]',
          String(Math.abs(this.pick(integers))),
          'rows[0].id',
          'rows[1].score',
        ]);
      case 'float':
        return this.pick(['f', 'g', '2.5', '0.1', '1e3', '7.0', 'i / 4']);
      case 'str':
        return this.pick([
          's',
          't',
          'd.b',
          'd["b"]',
          'rows[0].name',
          'ss[0]',
          this.literal(this.pick(texts)),
        ]);
      case 'bool':
        return this.pick(['yes', 'no', 'true', 'false', 'i > 2', "s == ''", 'rows[0].ok', 'nope is defined']);
      case 'list':
        return this.pick([
          'xs',
          '[]',
          '[1, 2, 3]',
          'd["items"]',
          '[i, j]',
          'rows | map(attribute="id") | list',
          'range(4) | list',
        ]);
      case 'strs':
        return this.pick([
          'ss',
          "['b', 'A', 'c']",
          "s.split(',')",
          'rows | map(attribute="name") | list',
          't | list',
        ]);
      case 'dict':
        return this.pick(['d', 'd.n', '{}', "{'k': 1, 'z': [none, true]}", 'rows[0]', 'dict(a=i, b=s)']);
      case 'rows':
        return 'rows';
      case 'none':
        return this.pick(['none', 'nil', 'None']);
      case 'missing':
        return this.pick(['nope', 'd.zz', 'nope.a.b', 'rows[99]', "d['q'].r", 'xs[77]']);
    }
  }

  private statements(): string {
    const body = (depth: number): string =>
      Array.from({ length: 1 + Math.floor(this.next() * 3) }, () => this.statement(depth, body)).join(
        this.pick(['', ' ', '\n', '-']),
      );
    return body(3);
  }

  private statement(depth: number, body: (depth: number) => string): string {
    if (depth <= 0) return this.pick(['text', ' t ', '{{ s }}', '{{ i }}', "{{ '{{' }}", '{# note #}']);
    const e = (kind: Kind): string => this.of(kind, 2);
    const inner = (): string => body(depth - 1);
    const dash = (): string => (this.chance(0.2) ? '-' : '');
    switch (Math.floor(this.next() * 10)) {
      case 0:
        return `{%${dash()} if ${e('bool')} %}${inner()}{% elif ${e('bool')} ${dash()}%}${inner()}{% else %}${inner()}{% endif ${dash()}%}`;
      case 1:
        return `{% for x in ${e('list')} %}${dash()}{{ loop.index }}{{ x }}{{ ',' if not loop.last }}${inner()}{% else %}${inner()}{% endfor %}`;
      case 2:
        return `{% for k, v in ${e('dict')}.items() ${dash()}%} {{ k }}={{ v }}{{ loop.revindex0 }}{% endfor %}`;
      case 3:
        return `{% set a = ${e('int')} %}{{ a }}{% set a, b = 1, ${e('str')} %}{{ b }}`;
      case 4:
        return `{% set ns = namespace(n=0) %}{% for x in ${e('list')} if x %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.n }}`;
      case 5:
        return `{% macro m(p, q=2) %}{{ p }}/{{ q }}${inner()}{% endmacro %}{{ m(${e('int')}) }}{{ m(1, q=${e('str')}) }}`;
      case 6:
        return `{% filter ${this.pick(['upper', 'trim', "replace('a', 'b')", 'title'])} %}${inner()}{% endfilter %}`;
      case 7:
        return `{% with w = ${e('str')} %}${inner()}{{ w }}{% endwith %}{{ w }}`;
      case 8:
        return `{% set blk %}${inner()}{% endset %}[{{ blk }}]{% raw %}{{ x }}{% endraw %}`;
      default:
        return `a{{${dash()} ${e(this.pick<Kind>(['int', 'float', 'str', 'list', 'dict', 'bool']))} ${dash()}}} z`;
    }
  }
}

type Maker = string;

const makers: Readonly<Record<Exclude<Kind, 'missing' | 'none'>, readonly Maker[]>> = {
  int: [
    '<int> + <int>',
    '<int> - <int>',
    '<int> * <int>',
    '<int> // <int>',
    '<int> % <int>',
    '-<int>',
    '<int> ** <small>',
    '<int> | abs',
    '<str> | length',
    '<list> | length',
    '<dict> | length',
    '<list> | sum',
    '<list> | max',
    '<list> | min',
    '<list>[<index>]',
    '<list> | first',
    '<list> | last',
    '<str> | int',
    '<float> | int',
    '<str>.count(<lit>)',
    '<str>.find(<lit>)',
    '<list>.count(<int>)',
    '<missing> | default(<int>)',
    "<dict>.get('a', <int>)",
    '<str> | wordcount',
    '<rows> | sum(attribute="id")',
    '<str> | int(<int>)',
    '<int> or <int>',
    '<int> and <int>',
    '<strs> | count',
    '<bool> + <int>',
    '<int> - <int> + <int>',
    '<int> * <int> // <int>',
    '<int> // <int> * <int>',
    '<str>.rfind(<lit>)',
    '<none> | int',
    '<bool> | int',
  ],
  float: [
    '<float> + <int>',
    '<float> * <float>',
    '<int> / <int>',
    '<float> - <float>',
    '<float> // <int>',
    '<float> % <int>',
    '-<float>',
    '<float> | round',
    '<float> | round(<small>)',
    '<float> | abs',
    "<float> | round(1, 'floor')",
    "<float> | round(2, 'ceil')",
    '<str> | float',
    '<int> | float',
    '<float> ** 2',
    '<int> * <float> / <int>',
    '<list> | sum(start=0.5)',
    '<float> | round(<small>) | string | float',
  ],
  str: [
    '<str> ~ <int>',
    '<float> ~ <none>',
    '<list> ~ <dict>',
    '<bool> ~ <missing>',
    '<str> + <str>',
    '<str> * <small>',
    '<str> | upper',
    '<str> | lower',
    '<str> | title',
    '<str> | capitalize',
    '<str> | trim',
    '<str> | replace(<lit>, <lit>)',
    '<str> | replace(<lit>, <str>, <small>)',
    '<str>[<index>:]',
    '<str>[:<index>]',
    '<str>[<index>:<index>]',
    '<str>[::-1]',
    '<str>[<index>]',
    '<str> | string | reverse',
    '<str> | truncate(7)',
    '<str> | truncate(6, true)',
    '<str> | truncate(5, false, "")',
    '<str> | center(15)',
    '<str> | indent(2)',
    '<str> | indent(3, true)',
    '<strs> | join(<lit>)',
    '<list> | join',
    '<int> | string',
    '<float> | string',
    '<list> | string',
    '<dict> | string',
    '<bool> | string',
    '<str>.upper()',
    '<str>.strip()',
    "<str>.strip('a ')",
    '<str>.lstrip()',
    '<str>.rstrip("d")',
    '<str>.title()',
    '<str>.capitalize()',
    '<str>.swapcase()',
    '<str>.replace(<lit>, <lit>)',
    '<str>.zfill(<count>)',
    '<str>.ljust(7, "*")',
    '<str>.rjust(7)',
    '<str>.center(8)',
    '<lit>.join(<strs>)',
    "'%s-%s' | format(<int>, <str>)",
    "'%05.2f' % <float>",
    "'%d' % <int>",
    "'%r' % <str>",
    "'%x' % 255",
    "'%-6s|' % <str>",
    "'%e' % <float>",
    "'%g' % <float>",
    "'{}:{}'.format(<int>, <str>)",
    "'{0:>8}|{1:<5}'.format(<str>, <int>)",
    "'{:.2f}'.format(<float>)",
    "'{:,}'.format(<int>)",
    "'{x!r}'.format(x=<str>)",
    "'{:08.3f}'.format(<float>)",
    "'{:+d}'.format(<int>)",
    "'{:^9}'.format(<str>)",
    "'{:x}'.format(255)",
    "'{:.1%}'.format(<float>)",
    "'{:e}'.format(<float>)",
    "'{:g}'.format(<float>)",
    '<strs> | first',
    '<strs> | last',
    '<strs>[<index>]',
    '<missing> | default(<str>)',
    '<missing> | string',
    '<str> | default(<lit>, true)',
    '<dict>.b',
    '<str>.split()[0]',
    '<int> | filesizeformat',
    '<str> | urlencode',
    '<dict> | urlencode',
    '<str> | wordwrap(5)',
    '<str> | striptags',
    '<str> | forceescape | length | string',
    '<str> | b64encode',
    '<str> | b64encode | b64decode',
    '<str>.removeprefix(<lit>)',
    '<str>.removesuffix(<lit>)',
    "<str>.partition(<lit>) | join('|')",
    '<str>.expandtabs(4)',
    '<str> or <str>',
    '<list> | tojson | length | string',
    '<str> | lower | upper',
    '<str>.casefold()',
    "<str>.rsplit(<lit>, 1) | join('+')",
  ],
  bool: [
    '<int> < <int>',
    '<int> == <int>',
    '<float> >= <int>',
    '<str> == <str>',
    '<str> < <str>',
    '<int> != <float>',
    '<int> < <int> < <int>',
    'not <bool>',
    'not <list>',
    '<bool> and <bool>',
    '<bool> or <bool>',
    '<int> in <list>',
    '<lit> in <str>',
    '<lit> not in <str>',
    "'a' in <dict>",
    '<str> in <strs>',
    '<list> == <list>',
    '<dict> == <dict>',
    '<missing> is defined',
    '<str> is defined',
    '<none> is none',
    '<int> is none',
    '<int> is odd',
    '<int> is even',
    '<int> is divisibleby 3',
    '<int> is number',
    '<str> is string',
    '<dict> is mapping',
    '<list> is iterable',
    '<list> is sequence',
    '<int> is integer',
    '<float> is float',
    '<bool> is boolean',
    '<str> is lower',
    '<str> is upper',
    '<int> is eq <int>',
    '<int> is gt 3',
    '<int> is in <list>',
    '<bool> is true',
    '<bool> is false',
    '<int> is not none',
    '<str>.startswith(<lit>)',
    '<str>.endswith(<lit>)',
    '<str>.isdigit()',
    '<str>.isalpha()',
    '<str>.isupper()',
    '<str>.islower()',
    '<str>.isspace()',
    '<str>.isalnum()',
    '<list> < <list>',
    '<missing> == <none>',
    '<missing> is undefined',
    '<int> == <bool>',
    '<list> | length > 2 and <int> > 0',
    '<none> == <none>',
    '<int> is sameas 7',
    "<str> is ne 'a'",
    '<str> is not string',
  ],
  list: [
    '<list> + <list>',
    '<list> * <small>',
    '<list>[<index>:]',
    '<list>[:<index>]',
    '<list>[::<count>]',
    '<list>[::-1]',
    '<list> | sort',
    '<list> | sort(reverse=true)',
    '<list> | reverse | list',
    '<list> | unique | list',
    '<list> | select | list',
    "<list> | select('odd') | list",
    "<list> | reject('gt', 2) | list",
    '<list> | map("abs") | list',
    '<list> | map("string") | list',
    '<list> | batch(<count>) | list',
    '<list> | batch(<count>, 0) | list',
    '<list> | slice(<count>) | list',
    '<list> | slice(<count>, "x") | list',
    '[<int>, <str>, <bool>, <none>]',
    '[<list>, <dict>]',
    '(<int>, <str>)',
    '(<int>,)',
    '<dict> | list',
    '<dict> | dictsort',
    '<dict> | items | list',
    '<dict>.items() | list',
    '<dict>.keys() | list',
    '<dict>.values() | list',
    "<rows> | map(attribute='id') | list",
    "<rows> | map(attribute='addr.city', default='?') | list",
    "<rows> | map(attribute='addr.city') | list",
    "<rows> | selectattr('ok') | map(attribute='id') | list",
    "<rows> | rejectattr('ok') | list",
    "<rows> | selectattr('id', 'gt', 1) | list",
    "<rows> | selectattr('score', 'none') | list",
    "<rows> | selectattr('addr', 'defined') | list",
    "<rows> | groupby('ok') | list",
    "<rows> | groupby('ok') | map('first') | list",
    "<rows> | sort(attribute='name') | map(attribute='id') | list",
    "<rows> | sort(attribute='ok,id', reverse=true) | map(attribute='id') | list",
    "<rows> | map(attribute='tags') | sum(start=[])",
    "<rows> | unique(attribute='ok') | list",
    'range(<small>, 9, <count>) | list',
    '<missing> | default([<int>])',
    '<list> or <list>',
    '<list> | list',
    "<rows> | map(attribute='tags.0') | list",
    '<str>.split(<lit>)',
    "<str>.split(',', 1)",
    '<str>.splitlines()',
    '<str> | list',
    "'[1, 2.0, null]' | fromjson",
    '<list> | tojson | fromjson',
    "(<rows> | max(attribute='id')).tags",
  ],
  strs: [
    '<strs> + <strs>',
    '<strs> | sort',
    '<strs> | sort(case_sensitive=true)',
    '<strs> | map("upper") | list',
    '<strs> | map("length") | list',
    '<strs> | unique | list',
    "<strs> | reject('equalto', '') | list",
    "<strs> | select('in', <strs>) | list",
    '<strs> | map("replace", "a", "b") | list',
    '<strs> | map("default", "x") | list',
    '<strs>[1:]',
    '<strs> | reverse | list',
    '<strs> | min',
    '<strs> | max',
    '<strs> | batch(2) | map("join", "+") | list',
    '<strs> | select("string") | list',
  ],
  dict: [
    "{'a': <int>, 'b': <list>}",
    '<dict>.n',
    "{'x': <float>, 'y': <dict>}",
    'dict(a=<int>)',
    'dict(<dict>, z=<str>)',
    '<rows> | first',
    "<rows> | max(attribute='id')",
    '<missing> | default(<dict>)',
    '<dict> or {}',
    '<dict> | tojson | fromjson',
    "<dict>.get('n', {})",
    "<dict>['n']",
  ],
  rows: [
    "<rows> | selectattr('ok') | list",
    "<rows> | sort(attribute='id', reverse=true)",
    '<rows>[1:]',
    '<rows> | reverse | list',
    "<rows> | rejectattr('score', 'none') | list",
  ],
};
