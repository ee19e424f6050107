import { TemplateError, type TemplateErrorKind } from '../errors';
import { filters } from '../filters';
import { templateSuggestion } from '../suggest';
import { resolve } from '../values/kinds';
import { resultsOf } from '../values/loop-result';
import { type Apply } from './run';
import { invoke, type Builtin, type Builtins } from './signature';
import { tests } from './tests';

/** Filters that get the value of a loop as a mapping: those that pass their value on, and those for mappings. */
const OF_MAPPINGS: ReadonlySet<string> = new Set([
  'tojson',
  'default',
  'd',
  'attr',
  'items',
  'dictsort',
  'xmlattr',
]);

/**
 * Applies the filter `name`; most filters get the value of a loop as a list. Throws NT4102 for an unknown filter.
 */
export const applyFilter: Apply = (run, name, subject, args, keywords) =>
  invoke(
    run,
    `the filter ${name}`,
    find(filters, name, 'filter', 'unknownFilter'),
    OF_MAPPINGS.has(name) ? subject : (resultsOf(resolve(subject)) ?? subject),
    args,
    keywords,
  );

/** Applies the test `name`. Throws NT4103 for an unknown test. */
export const applyTest: Apply = (run, name, subject, args, keywords) => {
  // The only test about the other table.
  if (name === 'filter') return typeof subject === 'string' && Object.hasOwn(filters, subject);
  return invoke(run, `the test ${name}`, find(tests, name, 'test', 'unknownTest'), subject, args, keywords);
};

function find(table: Builtins, name: string, what: string, kind: TemplateErrorKind): Builtin {
  if (Object.hasOwn(table, name)) return table[name]!;
  throw new TemplateError(kind, `unknown ${what} '${name}'${templateSuggestion(name, Object.keys(table))}`);
}

export const filterNames: readonly string[] = Object.keys(filters);
export const testNames: readonly string[] = [...Object.keys(tests), 'filter'];
