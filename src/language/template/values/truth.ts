import { View } from '../view';
import { Float, isDict, type Dict } from './kinds';
import { resultsOf } from './loop-result';

/** Python's truthiness: `none`, undefined, `false`, zero and everything empty are false. */
export function truthy(value: unknown): boolean {
  switch (typeof value) {
    case 'boolean':
      return value;
    case 'string':
      return value !== '';
    case 'number':
      return value !== 0;
    case 'bigint':
      return value !== 0n;
    case 'object':
      if (value === null) return false;
      if (Array.isArray(value)) return value.length > 0;
      if (value instanceof View) return truthy(value.plain());
      if (value instanceof Float) return value.n !== 0;
      if (!isDict(value)) return true;
      return resultsOf(value)?.length !== 0 && !isEmpty(value);
    default:
      return value !== undefined;
  }
}

const falseTexts = new Set(['', 'false', 'False', '0', 'none', 'None']);

function isEmpty(dict: Dict): boolean {
  for (const key in dict) if (Object.hasOwn(dict, key)) return false;
  return true;
}

/** Whether a guard is true: truthiness, except that strings meaning "no" are false as well. */
export function truthOfCondition(value: unknown): boolean {
  const plain = value instanceof View ? value.plain() : value;
  return typeof plain === 'string' ? !falseTexts.has(plain) : truthy(plain);
}
