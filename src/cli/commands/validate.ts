import { Command } from 'commander';
import { formatDiagnostics } from '../../dsl';
import { EXIT, UsageError } from '../errors';
import { compileFile, type CompiledFile } from '../input/playbook';
import { paint, wantsColor } from '../output/paint';
import { print } from '../output/say';

/** `validate FILE…`: say what is wrong with playbooks, without running them. */
export function validateCommand(): Command {
  return new Command('validate')
    .description('check playbooks without running them')
    .argument('<files...>', 'playbook files')
    .option('--strict', 'make every deprecation an error')
    .option('--format <format>', 'text or json', 'text')
    .action(async (files: string[], flags: { strict?: boolean; format: string }) => {
      if (flags.format !== 'text' && flags.format !== 'json') {
        throw new UsageError(`--format ${flags.format}: expected text or json`);
      }
      const checked = files.map((file) => compileFile(file, { strict: flags.strict }));
      const ok = checked.every((one) => one.plan !== undefined);
      await print(flags.format === 'json' ? JSON.stringify(asJson(checked, ok), null, 2) : asText(checked));
      process.exitCode = ok ? EXIT.success : EXIT.usage;
    });
}

function asJson(checked: readonly CompiledFile[], ok: boolean): object {
  return {
    ok,
    files: checked.map(({ file, diagnostics }) => ({
      file,
      diagnostics: diagnostics.map((one) => ({
        code: one.code,
        severity: one.severity,
        message: one.message,
        line: one.line,
        column: one.column,
        end_line: one.endLine,
        end_column: one.endColumn,
        path: one.path,
        hint: one.hint ?? null,
      })),
    })),
  };
}

function asText(checked: readonly CompiledFile[]): string {
  const color = wantsColor(process.stdout);
  const { green } = paint(color);
  return checked
    .map(({ file, text, diagnostics, plan }) =>
      [
        ...(diagnostics.length > 0 ? [formatDiagnostics(diagnostics, text, { color })] : []),
        ...(plan ? [`${green('✓')} ${file}`] : []),
      ].join('\n'),
    )
    .join('\n\n');
}
