/** Data that becomes part of a program: of SQL, or of a command for a shell. */
import {
  type Arguments,
  type Expr,
  type ExprOf,
  type Stmt,
  type AssignmentTarget,
  type Template,
} from '../../template/ir';
import { type Report } from '../diagnostics/diagnostic';
import { type ToolKind } from '../kinds';
import { asMap, child, type MapEntry, inside, type YamlNode, type ScalarNode } from '../yaml/node';
import { type Values } from './values';

/** Roots whose values the runtime generates, so they cannot break a program; and secrets, which NT3107 covers. */
const SAFE_ROOTS = new Set([
  ...['keychain', 'execution_id', 'job', 'loop', 'loop_index', '_attempt', 'attempt'],
  ...['__frame_max_rows', '__frame_policy', '__worker_slot_id'],
]);
const SAFE_KEYS = new Set(['iter.index', 'iter._index', 'iter.total', 'iter._total']);
const NUMBERS = ['int', 'float', 'length', 'count'];

interface Language {
  /** What the data becomes part of. */
  readonly of: string;
  readonly hint: string;
  /** Filters whose result cannot break out. */
  readonly safe: ReadonlySet<string>;
}

const SQL: Language = {
  of: 'the SQL text',
  hint: 'write a placeholder (`$1`) and pass the value in `params`; names of tables and schemas cannot be parameters',
  safe: new Set([...NUMBERS, 'tojson']),
};
const SHELL: Language = {
  of: 'the command',
  hint: 'pass it in `env: {VALUE: "{{ … }}"}`, and write `"$VALUE"`',
  safe: new Set(NUMBERS),
};

/** Warns once per program of data interpolated into SQL, a command or a script. */
export function checkSplicing(
  toolKind: ToolKind | undefined,
  { key, value }: MapEntry,
  values: Values,
  report: Report,
): void {
  const check = (nodes: readonly (YamlNode | undefined)[], language: Language): void => {
    for (const node of nodes) if (node?.kind === 'scalar') reportSplicing(node, language, values, report);
  };
  if (toolKind?.sql?.includes(key)) check(sqlIn(value), SQL);
  if (toolKind?.sides?.includes(key)) check([child(asMap(value), 'query')], SQL);
  const parsed = toolKind?.shell?.[key];
  if (parsed) check(parsed === 'flag' ? behindFlag(value) : itemsOf(value), SHELL);
}

/** A text, a list of texts, or the code of a script. */
const sqlIn = (value: YamlNode): readonly (YamlNode | undefined)[] =>
  value.kind === 'map'
    ? [child(value, 'code'), child(asMap(child(value, 'source')), 'code')]
    : itemsOf(value);

const itemsOf = (value: YamlNode): readonly YamlNode[] => (value.kind === 'list' ? value.items : [value]);

/** Of a list, what a shell parses: the argument behind `-c`. */
const behindFlag = (value: YamlNode): readonly YamlNode[] =>
  value.kind === 'list'
    ? value.items.filter((_, i) => {
        const flag = value.items[i - 1];
        return flag?.kind === 'scalar' && /^-[a-z]*c$/.test(String(flag.value));
      })
    : [value];

function reportSplicing(node: ScalarNode, language: Language, values: Values, report: Report): void {
  const template = typeof node.value === 'string' && node.value.includes('{') ? values.tryParse(node) : null;
  const risky = template ? riskyIn(template, language) : undefined;
  if (risky === undefined) return;
  const { offset, path } = risky;
  const message = `\`${path.join('.')}\` becomes part of ${language.of}`;
  report.add('NT4005', inside(node, offset, String(path[0]).length), message, language.hint);
}

interface Risky {
  readonly path: readonly (string | number)[];
  readonly offset: number;
}

function riskyIn(template: Template, { safe }: Language): Risky | undefined {
  const walk = new Walk(safe);
  if (template.kind === 'text') return walk.body(template.body, new Map());
  // A whole program from elsewhere is not data; one that is put together here contains some.
  return buildsText(template.expr) ? walk.expr(template.expr, new Map()) : undefined;
}

/** `'select ' ~ x`, `'… %s' | format(x)`, and the like. */
function buildsText(e: Expr): boolean {
  switch (e.op) {
    case 'concat':
      return e.e.some(isText);
    case 'bin':
      return [e.l, e.r].some((side) => isText(side) || buildsText(side));
    case 'if':
      return [e.t, ...(e.e ? [e.e] : [])].some(buildsText);
    case 'filter':
    case 'method':
      return e.o !== undefined && ((/^(format|join)$/.test(e.n) && isText(e.o)) || buildsText(e.o));
    default:
      return false;
  }
}

const isText = (e: Expr): boolean => e.op === 'lit' && typeof e.v === 'string' && e.v.trim() !== '';

/** Names that the template binds itself, each with what is risky in its value. */
type Locals = ReadonlyMap<string, Risky | undefined>;

/** Finds the first data that is written out. */
class Walk {
  constructor(private readonly safe: ReadonlySet<string>) {}

  body(body: readonly Stmt[], outer: Locals): Risky | undefined {
    const locals = new Map(outer);
    for (const each of body) {
      const risky = this.statement(each, locals);
      if (risky) return risky;
    }
    return undefined;
  }

  private statement(each: Stmt, locals: Map<string, Risky | undefined>): Risky | undefined {
    switch (each.op) {
      case 'out':
        return this.expr(each.e, locals);
      case 'if':
        return first([...each.branches.map(([, body]) => body), each.otherwise ?? []], (body) =>
          this.body(body, locals),
        );
      case 'for': {
        const inner = bound(locals, each.target, this.expr(each.in, locals));
        return this.body(each.body, inner) ?? this.body(each.otherwise ?? [], locals);
      }
      case 'set':
        for (const name of namesOf(each.target)) locals.set(name, this.expr(each.e, locals));
        return undefined;
      case 'with': {
        let inner: Locals = locals;
        for (const [target, value] of each.sets) inner = bound(inner, target, this.expr(value, locals));
        return this.body(each.body, inner);
      }
      case 'scope':
        return this.body(each.body, locals);
      case 'filterblock':
        return each.filter.op === 'filter' && this.safe.has(each.filter.n)
          ? undefined
          : this.body(each.body, locals);
      default:
        // Texts, and macros, whose arguments are seen where they are called.
        return undefined;
    }
  }

  /** What is risky in the text of a value; booleans and numbers are not. */
  expr(e: Expr, locals: Locals): Risky | undefined {
    if (e.op === 'name') {
      if (locals.has(e.n)) return locals.get(e.n);
      return SAFE_ROOTS.has(e.n) ? undefined : { path: [e.n], offset: e.p };
    }
    if (e.op === 'get') {
      const of = this.expr(e.o, locals);
      if (of === undefined || !isPath(e.o, locals)) return of;
      const path = [...of.path, e.k];
      return SAFE_KEYS.has(path.join('.')) ? undefined : { path, offset: of.offset };
    }
    if (e.op === 'filter' && this.safe.has(e.n)) return undefined;
    return first(partsOf(e), (part) => this.expr(part, locals));
  }
}

const argumentsOf = ({ a = [], k = [] }: Arguments): Expr[] => [...a, ...k.map(([, value]) => value)];
const both = ({ l, r }: { readonly l: Expr; readonly r: Expr }): Expr[] => [l, r];
const all = ({ e }: { readonly e: readonly Expr[] }): readonly Expr[] => e;

/** The parts of an expression that its text can contain; that of an operator without an entry is safe. */
const PARTS: { readonly [Op in Expr['op']]?: (e: ExprOf<Op>) => readonly Expr[] } = {
  item: ({ o }) => [o],
  slice: ({ o }) => [o],
  filter: (e) => [...(e.o ? [e.o] : []), ...argumentsOf(e)],
  method: (e) => [e.o, ...argumentsOf(e)],
  call: argumentsOf,
  list: all,
  tuple: all,
  concat: all,
  dict: ({ e }) => e.flat(),
  and: both,
  or: both,
  bin: both,
  if: ({ t, e }) => (e ? [t, e] : [t]),
};

const partsOf = (e: Expr): readonly Expr[] =>
  (PARTS[e.op] as ((e: Expr) => readonly Expr[]) | undefined)?.(e) ?? [];

/** Whether a path to it can be named: `workload.x`, not the variable of a `for`. */
function isPath(e: Expr, locals: Locals): boolean {
  return e.op === 'get' ? isPath(e.o, locals) : e.op === 'name' && !locals.has(e.n);
}

function bound(locals: Locals, target: AssignmentTarget, value: Risky | undefined): Locals {
  return new Map([...locals, ...namesOf(target).map((name) => [name, value] as const)]);
}

function namesOf(target: AssignmentTarget): string[] {
  return target.op === 'name' ? [target.n] : target.op === 'tuple' ? target.e.flatMap(namesOf) : [];
}

function first<In>(each: readonly In[], find: (one: In) => Risky | undefined): Risky | undefined {
  for (const one of each) {
    const risky = find(one);
    if (risky) return risky;
  }
  return undefined;
}
