import { type Json } from '../../../src/language/plan';
import { invalidInput } from '../tool/outcome';
import { type SqlParameter, type Statement } from './split';

/**
 * Refuses `IN (:list)`: it compares with the list as one value, which is an error for numbers, and for texts never true.
 *
 * @param instead what to write, given the placeholder
 * @throws ToolError `INVALID_PARAMS`
 */
export function refuseListIn(
  { text }: Pick<Statement, 'text'>,
  { start, end }: SqlParameter,
  value: Json | undefined,
  instead: (placeholder: string, not: boolean) => string,
): void {
  if (!Array.isArray(value) || !/^\s*\)/.test(text.slice(end))) return;
  const [, not, list] = /(\bNOT\s+)?\bIN\s*(\()\s*$/i.exec(text.slice(Math.max(0, start - 200), start)) ?? [];
  if (list === undefined) return;
  const placeholder = text.slice(start, end);
  const operator = not === undefined ? 'IN' : 'NOT IN';
  throw invalidInput(
    `\`${operator} (${placeholder})\` compares with the whole list as one value; write \`${instead(placeholder, not !== undefined)}\``,
    'INVALID_PARAMS',
  );
}
