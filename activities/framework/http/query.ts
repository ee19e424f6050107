import { type JsonObject } from '../../../src/language/plan';

/** Query or form fields: null is omitted, lists repeat the name, booleans are true and false, mappings are JSON. */
export function queryPairs(params: JsonObject): [string, string][] {
  return Object.entries(params).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).flatMap((one): [string, string][] => {
      if (one === null || one === undefined) return [];
      return [[name, typeof one === 'object' ? JSON.stringify(one) : String(one)]];
    }),
  );
}

export function queryText(params: JsonObject): string {
  return new URLSearchParams(queryPairs(params)).toString();
}
