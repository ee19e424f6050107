/** What filters, tests and functions accept. */
import { globalBuiltins } from '../../language/template/evaluate/globals';
import { tests } from '../../language/template/evaluate/tests';
import { filters } from '../../language/template/filters';

export interface BuiltinSignature {
  /** `default(default_value?, boolean?)`. */
  readonly label: string;
  readonly parameters: readonly string[];
}

export function signatureOf(
  kind: 'filter' | 'test' | 'function',
  name: string,
): BuiltinSignature | undefined {
  const table = kind === 'filter' ? filters : kind === 'test' ? tests : globalBuiltins;
  const builtin = Object.hasOwn(table, name) ? table[name] : undefined;
  if (builtin === undefined) return undefined;
  const { params, required, variadic } = builtin;
  const parameters = variadic
    ? ['…']
    : params.map((param, index) => (index < required ? param : `${param}?`));
  return {
    label: parameters.length > 0 || kind === 'function' ? `${name}(${parameters.join(', ')})` : name,
    parameters,
  };
}
