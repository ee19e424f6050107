import fs from 'node:fs';
import path from 'node:path';
import { extensions } from '../extensions';
import { formatDiagnostics } from '../../language/dsl';
import {
  diffText,
  type FileReport,
  formatTime,
  jsonReport,
  junitReport,
  runRehearsal,
  starterText,
  totalsOf,
} from '../../offline/rehearsal';
import { EXIT, UsageError } from '../errors';
import { formatIn } from '../input/format';
import { loadPlaybook } from '../input/playbook';
import { readRehearsalFile, rehearsalFiles } from '../input/rehearsal';
import { paint, printable, wantsColor } from '../output/paint';
import { print } from '../output/say';

type Report = FileReport & { readonly text: string };

/** Values of `--format`. */
const FORMATS: Readonly<Record<string, (reports: readonly Report[]) => string>> = {
  text: asText,
  json: (reports) => JSON.stringify(jsonReport(reports), null, 2),
  junit: junitReport,
};

/**
 * `test FILE…`: runs rehearsals of playbooks with mocked tasks, without a server. Exit code 0, 1 if a rehearsal
 * failed, 2 if a file cannot be run.
 */
export async function rehearseFiles(
  files: string[],
  flags: { format: string; init?: string },
): Promise<void> {
  if (flags.init !== undefined) {
    if (files.length > 0) throw new UsageError('--init takes a playbook and no rehearsal files');
    return initialise(flags.init);
  }
  const format = formatIn(FORMATS, flags.format);
  if (files.length === 0)
    throw new UsageError("missing required argument 'files': a *.rehearsal.yaml, or a folder");
  const reports = rehearsalFiles(files).map(rehearse);
  await print(format(reports));
  const { failed, broken } = totalsOf(reports);
  process.exitCode = broken > 0 ? EXIT.usage : failed > 0 ? EXIT.failed : EXIT.success;
}

/** Never overwrites an existing rehearsal. */
async function initialise(playbook: string): Promise<void> {
  const { plan } = loadPlaybook(playbook);
  const file = playbook.replace(/\.ya?ml$/i, '') + '.rehearsal.yaml';
  try {
    fs.writeFileSync(file, starterText(plan, `./${path.basename(playbook)}`, extensions().kinds), {
      flag: 'wx',
    });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new UsageError(
      code === 'EEXIST' ? `${file} is there already` : `${file} cannot be written (${code})`,
    );
  }
  await print(`${file} written; \`noetl-temporal test ${file}\` runs it`);
}

function rehearse(file: string): Report {
  const { rehearsed, diagnostics, text } = readRehearsalFile(file);
  const results = (rehearsed?.rehearsals ?? []).map((rehearsal) => {
    const start = performance.now();
    const result = runRehearsal(rehearsal, rehearsed!);
    return { ...result, seconds: (performance.now() - start) / 1_000 };
  });
  return { file, playbook: rehearsed?.playbook.file ?? '', diagnostics, results, text };
}

function asText(reports: readonly Report[]): string {
  const color = wantsColor(process.stdout);
  const { passed, failed, broken } = totalsOf(reports);
  const { red, green } = paint(color);
  const blocks = reports.flatMap((report) => [
    ...(report.diagnostics.length === 0
      ? []
      : [formatDiagnostics([...report.diagnostics], report.text, { color }), '']),
    ...report.results.map((result) => resultText(result, report, color)),
  ]);
  const summary = [
    passed > 0 ? green(`${passed} passed`) : '0 passed',
    ...(failed > 0 ? [red(`${failed} failed`)] : []),
    ...(broken > 0 ? [red(`${broken} ${broken === 1 ? 'file' : 'files'} with errors`)] : []),
  ];
  return [...blocks, '', summary.join(', ')].join('\n');
}

function resultText(result: FileReport['results'][number], report: Report, color: boolean): string {
  const { green, red, dim } = paint(color);
  const calls = result.calls === 1 ? '1 call' : `${result.calls} calls`;
  const about = dim(`(${calls}, ${formatTime(result.elapsed)} simulated)`);
  const head = `${result.ok ? green('✓') : red('✗')} ${report.file} › ${printable(result.name)} ${about}`;
  if (result.ok) return head;
  const diff = printable(diffText(result, { rehearsal: report.file, playbook: report.playbook }));
  return [head, ...diff.split('\n').map((line) => `    ${line}`)].join('\n');
}
