/** Before every unit test: values whose size was measured are frozen, since it is remembered. */
import { measuring } from '../../src/language/template/values/json-size';

measuring.freezes = true;

/** Freezes a value with all that it contains. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  Object.values(value).forEach(frozen);
  return value;
}
