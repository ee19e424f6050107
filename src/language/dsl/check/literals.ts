import { losesDigits } from '../../template/values/digits';
import { type Template } from '../../template/ir';
import { objectsIn } from '../../plan';

const LONG = /[\d._]{17}|\d[eE][-+]?\d{3}/;
const DECIMAL = /\d+(?:_\d+)*(?:\.\d+(?:_\d+)*(?:[eE][+-]?\d+)?|[eE][+-]?\d+)/g;

/** Decimals written in an expression of which a double does not keep all digits. */
export function lossyLiterals(template: Template): { readonly literal: string; readonly offset: number }[] {
  if (!LONG.test(template.source)) return [];
  const values = new Set([...objectsIn(template)].flatMap(({ op, v }) => (op === 'float' ? [v] : [])));
  return [...template.source.matchAll(DECIMAL)].flatMap(({ 0: literal, index }) => {
    const plain = literal.replaceAll('_', '');
    // Of texts with digits, the template has no number.
    return losesDigits(plain) && values.has(Number(plain)) ? [{ literal, offset: index }] : [];
  });
}
