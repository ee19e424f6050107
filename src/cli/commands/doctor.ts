import { Command } from 'commander';
import { paint, wantsColor } from '../output/paint';
import { print } from '../output/say';

/** `doctor`: checks the environment. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check what runs need; exit code 1 if something required is missing')
    .option('--json', 'print one JSON document')
    .option(
      '--after-restore',
      'after restoring a backup, before workers start: whether Temporal, tables, stored values and keys fit together',
    )
    .option('--data <dir>', 'folder of the embedded servers (default: NOETL_DATA_DIR or .noetl)')
    .action(async (flags: { json?: boolean; data?: string; afterRestore?: boolean }) => {
      const findings = flags.afterRestore
        ? await (await import('../runtime/examine-restore.js')).examineRestore(flags.data)
        : await (await import('../runtime/examine.js')).examine(flags.data);
      const ok = findings.every((one) => one.status !== 'missing');
      const { green, yellow, red, dim } = paint(wantsColor(process.stdout));
      const mark = { ok: green('✓'), note: yellow('!'), missing: red('✗') };
      const width = Math.max(...findings.map((one) => one.subject.length));
      const lines = findings.flatMap((one) => [
        `${mark[one.status]} ${one.subject.padEnd(width)}  ${one.message}`,
        ...(one.fix ?? []).map((line) => `  ${' '.repeat(width)}  ${dim('→')} ${line}`),
      ]);
      await print(flags.json ? JSON.stringify({ ok, findings }, null, 2) : lines.join('\n'));
      process.exitCode = ok ? 0 : 1;
    });
}
