/** The signature of the filter, test or function whose arguments are being written. */
import { expressionParts } from '../text/expression';
import { type BuiltinSignature, signatureOf } from './signatures';

export interface SignatureHelp extends BuiltinSignature {
  /** The parameter at the cursor. */
  readonly active: number;
}

/** @param before the expression up to the cursor */
export function signatureHelp(before: string): SignatureHelp | undefined {
  const parts = expressionParts(before);
  let depth = 0;
  let commas = 0;
  for (let at = parts.length - 1; at >= 0; at -= 1) {
    const { text } = parts[at]!;
    if (/^[)\]}]$/.test(text)) depth += 1;
    else if (/^[([{]$/.test(text) && depth > 0) depth -= 1;
    else if (text === ',' && depth === 0) commas += 1;
    else if (/^[([{]$/.test(text)) {
      const { kind, text: name = '' } = parts[at - 1] ?? {};
      const isCall = text === '(' && (kind === 'function' || kind === 'filter' || kind === 'test');
      const signature = isCall ? signatureOf(kind, name) : undefined;
      return (
        signature && { ...signature, active: Math.max(0, Math.min(commas, signature.parameters.length - 1)) }
      );
    }
  }
  return undefined;
}
