import { TemplateError } from '../errors';
import { dictArgument, integerArgument, numberArgument } from '../values/arguments';
import { TimeDelta, zoneArgument } from '../values/datetime';
import { Callable, dictOf, Internal, isDict, resolve, type Keywords } from '../values/kinds';
import { toText } from '../values/text';
import { formatIso, fromParts } from '../values/time';
import { loremIpsum } from './lorem';
import { type Evaluation } from './run';
import { defineBuiltin, invoke, type Builtins } from './signature';
import { newUuid } from './uuid';

/** The functions available in every template. Names of the scope take precedence. */
export const globalBuiltins: Builtins = {
  range: defineBuiltin('start, stop=, step=', (run, _, start, stop, step) => range(run, start, stop, step)),
  dict: defineBuiltin('*', (run, _, args, keywords) =>
    makeDict(run, args as readonly unknown[], keywords as Keywords),
  ),
  namespace: defineBuiltin('*', (run, _, args, keywords) => {
    const initial = makeDict(run, args as readonly unknown[], keywords as Keywords);
    return new Namespace(new Map(Object.entries(initial)));
  }),
  cycler: defineBuiltin('*', (_run, _, args) => new Cycler(args as readonly unknown[])),
  joiner: defineBuiltin('sep=', (run, _, sep) => {
    const separator = sep === undefined ? ', ' : toText(sep, run);
    let used = false;
    return new Callable('joiner', () => {
      const text = used ? separator : '';
      used = true;
      return text;
    });
  }),
  lipsum: defineBuiltin('n=, html=, min=, max=', (run, _, n, html = true, min, max) =>
    loremIpsum(run, {
      paragraphs: integerArgument(n, 'n', 5),
      html: html !== false,
      min: integerArgument(min, 'min', 20),
      max: integerArgument(max, 'max', 100),
    }),
  ),
  now: defineBuiltin('tz=', (run, _, tz) => {
    const ms = run.world('now()').now();
    const offset = tz === undefined || tz === null ? 0 : zoneArgument(tz, 'now()').offsetAt(Math.floor(ms));
    return formatIso(fromParts(ms, 0, offset));
  }),
  timedelta: defineBuiltin(
    'days=, seconds=, microseconds=, milliseconds=, minutes=, hours=, weeks=',
    (run, _, ...amounts) => {
      run.charge(run.prices.date);
      return TimeDelta.of(amounts.map((amount) => numberArgument(amount, 'timedelta()')));
    },
  ),
  uuid: defineBuiltin('', (run) => newUuid(run.world('uuid()'))),
};

/** The global `name` as a callable, or undefined. */
export function globalNamed(run: Evaluation, name: string): Callable | undefined {
  if (!Object.hasOwn(globalBuiltins, name)) return undefined;
  const builtin = globalBuiltins[name]!;
  return new Callable(name, (args, keywords) => invoke(run, `${name}()`, builtin, undefined, args, keywords));
}

export const globalNames: readonly string[] = Object.keys(globalBuiltins);

function range(run: Evaluation, first: unknown, second: unknown, third: unknown): number[] {
  const start = second === undefined ? 0 : integerArgument(first, 'start');
  const stop = integerArgument(second ?? first, 'stop');
  const step = integerArgument(third, 'step', 1);
  if (step === 0) throw new TemplateError('wrongValue', 'range() cannot have step 0');
  const length = Math.max(0, Math.ceil((stop - start) / step));
  run.elements(length);
  return Array.from({ length }, (_, i) => start + i * step);
}

function makeDict(run: Evaluation, args: readonly unknown[], keywords: Keywords): Record<string, unknown> {
  const [first] = args;
  if (args.length > 1)
    throw new TemplateError('wrongArguments', 'dict() takes one list or dict, and keywords');
  const v = resolve(first);
  const base = v === undefined ? [] : isDict(v) ? Object.entries(v) : pairs(v);
  run.elements((base.length + keywords.size) * 4);
  return dictOf([...base, ...keywords]);
}

function pairs(v: unknown): [string, unknown][] {
  if (!Array.isArray(v)) return Object.entries(dictArgument(v, 'dict()'));
  return v.map((pair: unknown) => {
    const parts = resolve(pair);
    if (Array.isArray(parts) && parts.length === 2) return [toText(parts[0]), parts[1] as unknown];
    throw new TemplateError('wrongType', 'dict() needs pairs of key and value');
  });
}

/** The target of `{% set ns.x = … %}`: the only value that a loop can change outside itself. */
export class Namespace extends Internal {
  readonly typeName = 'namespace';

  constructor(readonly values: Map<string, unknown>) {
    super();
  }

  override attribute(key: string): unknown {
    return this.values.get(key);
  }
}

class Cycler extends Internal {
  readonly typeName = 'cycler';
  private at = 0;

  constructor(private readonly items: readonly unknown[]) {
    super();
    if (items.length === 0) throw new TemplateError('wrongArguments', 'cycler() needs at least one value');
  }

  override attribute(key: string): unknown {
    return key === 'current' ? this.items[this.at] : undefined;
  }

  override method(name: string): Callable | undefined {
    if (name === 'next') {
      return new Callable('next', () => {
        const current = this.items[this.at];
        this.at = (this.at + 1) % this.items.length;
        return current;
      });
    }
    if (name !== 'reset') return undefined;
    return new Callable('reset', () => {
      this.at = 0;
      return undefined;
    });
  }
}
