/** What became of a registered file, with the compiler's diagnostics. Pure. */
import { type RegisterOutcome } from '../runtime/remote/register-files';
import { type Paint, printable } from './paint';

export function registeredText(outcome: RegisterOutcome, paint: Paint): string {
  const { green, red, dim } = paint;
  const { file, status, path, version, staged, error, warnings } = outcome;
  const lines = [...registeredFindingLines(outcome, paint), ...warnings.map((one) => `  warning: ${one}`)];
  const head =
    status === 'registered'
      ? `${green('✓')} ${path} version ${version}${staged ? ' (staged)' : ''} ${dim(file)}`
      : `${red('✗')} ${file}${lines.length > 0 ? '' : `: ${error}`}`;
  return [head, ...lines].map(printable).join('\n');
}

/** A line for each diagnostic. */
export function registeredFindingLines(
  { file, diagnostics }: Pick<RegisterOutcome, 'file' | 'diagnostics'>,
  { dim }: Pick<Paint, 'dim'>,
): string[] {
  return diagnostics.map(
    (one) =>
      `  ${file}:${one.line}:${one.column}: ${one.severity} ${one.code}: ${one.message}` +
      (one.hint ? dim(` (${one.hint})`) : ''),
  );
}
