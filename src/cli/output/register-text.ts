/** What became of a registered file, with the compiler's diagnostics. Pure. */
import { type Outcome } from '../runtime/remote/register-files';
import { type Paint, printable } from './paint';

export function registeredText(outcome: Outcome, { green, red, dim }: Paint): string {
  const { file, status, path, version, staged, error, diagnostics } = outcome;
  const lines = diagnostics.map(
    (one) =>
      `  ${file}:${one.line}:${one.column}: ${one.severity} ${one.code}: ${one.message}` +
      (one.hint ? dim(` (${one.hint})`) : ''),
  );
  const head =
    status === 'registered'
      ? `${green('✓')} ${path} version ${version}${staged ? ' (staged)' : ''} ${dim(file)}`
      : `${red('✗')} ${file}${lines.length > 0 ? '' : `: ${error}`}`;
  return [head, ...lines].map(printable).join('\n');
}
