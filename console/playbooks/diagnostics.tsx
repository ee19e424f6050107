/** The problems of a text: each with its place and, where there is one right answer, its fix. */
import { type JSX } from 'preact';
import { type Diagnostic, type Fix } from '../../src/language/dsl';
import { Code } from '../parts/code';

interface DiagnosticsProps {
  readonly of: readonly Diagnostic[] | undefined;
  readonly onGo: (line: number, column: number) => void;
  readonly onFix: (fix: Fix) => void;
}

export function Diagnostics({ of, onGo, onFix }: DiagnosticsProps): JSX.Element {
  if (of === undefined) return <p class="hint">Compiling …</p>;
  if (of.length === 0)
    return (
      <p class="hint" role="status">
        No problems.
      </p>
    );
  return (
    <ul class="diagnostics" aria-label="Problems">
      {of.map((one, index) => (
        <li key={index} class={one.severity} data-code={one.code}>
          <button type="button" class="link" onClick={() => onGo(one.line, one.column)}>
            {one.line}:{one.column}
          </button>{' '}
          <Code of={one.code} /> {one.message}{' '}
          {one.fix && (
            <button type="button" class="link" title={one.fix.what} onClick={() => onFix(one.fix!)}>
              Fix
            </button>
          )}
          {one.hint && <p class="hint">{one.hint}</p>}
        </li>
      ))}
    </ul>
  );
}
