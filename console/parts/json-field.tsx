/** A text that has to be JSON, with what is wrong with it as one types. */
import { type JSX } from 'preact';
import { parseJson } from '../../src/language/plan/json-text';

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
  readonly rows?: number;
  /** A mapping is asked for. */
  readonly mapping?: boolean;
}

/** @returns what is wrong, in words; undefined where nothing is */
export function jsonProblem(text: string, mapping = false): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    const value = parseJson(text) as unknown;
    if (mapping && (typeof value !== 'object' || value === null || Array.isArray(value)))
      return 'This has to be a mapping: {"name": value}';
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** An empty text is an empty mapping. @throws SyntaxError */
export function jsonOf(text: string): Record<string, unknown> {
  return text.trim() === '' ? {} : (parseJson(text) as Record<string, unknown>);
}

export function JsonField({ label, value, onInput, rows = 8, mapping = false }: Props): JSX.Element {
  const problem = jsonProblem(value, mapping);
  return (
    <label class="json-field">
      {label}
      <textarea
        rows={rows}
        spellcheck={false}
        value={value}
        aria-invalid={problem !== undefined}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <small class="field-problem" role="status">
        {problem ?? ''}
      </small>
    </label>
  );
}
