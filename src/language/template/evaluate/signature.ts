import { TemplateError } from '../errors';
import { templateSuggestion } from '../suggest';
import { type Keywords } from '../values/kinds';
import { type Evaluation } from './run';

/** A filter, test, method or global: its parameters and its implementation. */
export interface Builtin {
  readonly params: readonly string[];
  readonly required: number;
  /** Accepts further positional arguments, as one list, and any keywords, as one map. */
  readonly variadic: boolean;
  readonly apply: Body;
}

// Each entry of a table names its own parameters; `bind` guarantees their number, not their types.
type Body = (run: Evaluation, subject: unknown, ...args: unknown[]) => unknown;

export type Builtins = Readonly<Record<string, Builtin>>;

/**
 * Declares a builtin: `define('old, new, count=', (run, text, old, new, count) => …)`. A parameter with `=` is
 * optional and then undefined. `define('*', (run, value, args, keywords) => …)` accepts any arguments.
 */
export function defineBuiltin(signature: string, apply: Body): Builtin {
  if (signature === '*') return { params: [], required: 0, variadic: true, apply };
  const params = signature.split(',').map((part) => part.trim());
  const named = params.filter((param) => param !== '');
  return {
    params: named.map((param) => param.replace('=', '')),
    required: named.filter((param) => !param.endsWith('=')).length,
    variadic: false,
    apply,
  };
}

/**
 * Calls a builtin with positional and keyword arguments by Python's rules.
 *
 * @throws TemplateError NT4105 for missing, unknown, duplicate or too many arguments.
 */
export function invoke(
  run: Evaluation,
  what: string,
  builtin: Builtin,
  subject: unknown,
  args: readonly unknown[],
  keywords: Keywords,
): unknown {
  // Most operations on a text process all of it.
  run.charge(run.prices.call);
  if (typeof subject === 'string') run.charge(run.prices.subjectChar * subject.length);
  if (builtin.variadic) return builtin.apply(run, subject, args, keywords);
  const { params, required } = builtin;
  if (keywords.size === 0 && args.length >= required && args.length <= params.length) {
    return builtin.apply(run, subject, ...args);
  }
  return builtin.apply(run, subject, ...bind(what, builtin, args, keywords));
}

function bind(what: string, builtin: Builtin, args: readonly unknown[], keywords: Keywords): unknown[] {
  const { params, required } = builtin;
  if (args.length > params.length) {
    const most = params.length === 0 ? 'no arguments' : `at most ${String(params.length)}`;
    throw new TemplateError('wrongArguments', `${what} takes ${most}, not ${String(args.length)}`);
  }
  const bound = [...args];
  for (const [name, value] of keywords) {
    const at = params.indexOf(name);
    if (at < 0) throw unknownKeyword(what, name, params);
    if (at < args.length) throw new TemplateError('wrongArguments', `${what} got '${name}' twice`);
    bound[at] = value;
  }
  for (let i = args.length; i < required; i++) {
    if (!keywords.has(params[i]!)) throw new TemplateError('wrongArguments', `${what} needs '${params[i]!}'`);
  }
  return bound;
}

function unknownKeyword(what: string, name: string, params: readonly string[]): TemplateError {
  const hint =
    templateSuggestion(name, params) || (params.length > 0 ? `: it accepts ${params.join(', ')}` : '');
  return new TemplateError('wrongArguments', `${what} has no argument '${name}'${hint}`);
}
