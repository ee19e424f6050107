import { TemplateError } from '../errors';
import { type Evaluation } from '../evaluate/run';
import { invoke, type Builtins } from '../evaluate/signature';
import { templateSuggestion } from '../suggest';
import { lookup } from '../values/access';
import {
  Callable,
  dictOf,
  Internal,
  isDict,
  isList,
  resolve,
  valueTypeName,
  type Keywords,
} from '../values/kinds';
import { View } from '../view';
import { dictMethods, listMethods, mutators } from './containers';
import { stringMethods } from './strings';

/**
 * Calls `subject.name(…)`. A callable that the subject contains under that name takes precedence over the methods
 * of its type. There are no others.
 *
 * @throws TemplateError NT4104 for an unknown method, NT4111 on an undefined subject.
 */
export function callMethod(
  run: Evaluation,
  subject: unknown,
  name: string,
  args: readonly unknown[],
  keywords: Keywords,
): unknown {
  if (subject instanceof Internal) {
    const callable = subject.method(name) ?? subject.attribute(name);
    if (callable instanceof Callable) {
      // A method of a date may get a format.
      for (const arg of args) if (typeof arg === 'string') run.charge(run.prices.dateChar * arg.length);
      return callable.call(args, keywords);
    }
  }
  // `get` on a view uses the view's look-up: `output.get('data', {})` returns the same as `output.data`.
  const value = subject instanceof View && name === 'get' ? viewAsDict(subject, args) : resolve(subject);
  const own = lookup(value, name);
  if (own instanceof Callable) return own.call(args, keywords);
  const table = methodsOf(value);
  if (table && Object.hasOwn(table, name))
    return invoke(run, `${name}()`, table[name]!, value, args, keywords);
  throw missing(value, name, table);
}

function viewAsDict(view: View, [key]: readonly unknown[]): unknown {
  const plain = view.plain();
  const member = typeof key === 'string' ? view.get(key) : undefined;
  if (member === undefined) return isDict(plain) ? plain : {};
  return dictOf([[key as string, member]]);
}

function methodsOf(value: unknown): Builtins | undefined {
  if (typeof value === 'string') return stringMethods;
  if (isList(value)) return listMethods;
  return isDict(value) ? dictMethods : undefined;
}

function missing(value: unknown, name: string, table: Builtins | undefined): TemplateError {
  if (value === undefined) {
    return new TemplateError('undefinedValue', `'${name}()' is called on an undefined value`);
  }
  if ((isList(value) || isDict(value)) && Object.hasOwn(mutators, name)) {
    return new TemplateError(
      'unknownMethod',
      `'${name}()' would modify the data, which templates cannot do: ${mutators[name]!}`,
    );
  }
  const hint = templateSuggestion(name, Object.keys(table ?? {}));
  return new TemplateError('unknownMethod', `${valueTypeName(value)} has no method '${name}()'${hint}`);
}
