import fs from 'node:fs';
import path from 'node:path';
import { extensions } from '../extensions';
import { formatDiagnostics } from '../../language/dsl';
import {
  diffText,
  executes,
  type FileReport,
  formatTime,
  jsonReport,
  junitReport,
  runRehearsal,
  runRehearsalWith,
  starterRehearsal,
  totalsOf,
} from '../../offline/rehearsal';
import { Closing } from '../../language/errors';
import { type CallExecutor } from '../../offline/proof';
import { EXIT, UsageError } from '../errors';
import { type PythonExecution } from '../runtime/execute-python';
import { formatIn } from '../input/format';
import { loadPlaybook } from '../input/playbook';
import { readRehearsalFile, rehearsalFiles } from '../input/rehearsal';
import { rehearsalAnnotations } from '../output/annotations';
import { paint, printable, wantsColor } from '../output/paint';
import { print } from '../output/say';

type Report = FileReport & { readonly text: string };

/** Values of `--format`. */
const FORMATS: Readonly<Record<string, (reports: readonly Report[]) => string>> = {
  text: asText,
  json: (reports) => JSON.stringify(jsonReport(reports), null, 2),
  junit: junitReport,
  github: rehearsalAnnotations,
};

/**
 * `test FILE…`: runs rehearsals of playbooks with mocked tasks, without a server. Exit code 0, 1 if a rehearsal
 * failed, 2 if a file cannot be run.
 */
export async function rehearseFiles(
  files: string[],
  flags: { format: string; init?: string; sandbox?: string },
): Promise<void> {
  if (flags.init !== undefined) {
    if (files.length > 0) throw new UsageError('--init takes a playbook and no rehearsal files');
    return initialise(flags.init);
  }
  const format = formatIn(FORMATS, flags.format);
  if (files.length === 0)
    throw new UsageError("missing required argument 'files': a *.rehearsal.yaml, or a folder");
  const reports = await rehearsed(rehearsalFiles(files), flags.sandbox);
  await print(format(reports));
  const { failed, broken } = totalsOf(reports);
  process.exitCode = broken > 0 ? EXIT.usage : failed > 0 ? EXIT.failed : EXIT.success;
}

/** Never overwrites an existing rehearsal. */
async function initialise(playbook: string): Promise<void> {
  const { plan } = loadPlaybook(playbook);
  const file = playbook.replace(/\.ya?ml$/i, '') + '.rehearsal.yaml';
  const { text, toFill } = starterRehearsal(plan, `./${path.basename(playbook)}`, extensions().kinds);
  try {
    fs.writeFileSync(file, text, { flag: 'wx' });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new UsageError(
      code === 'EEXIST' ? `${file} is there already` : `${file} cannot be written (${code})`,
    );
  }
  const lines = [
    `${file} written; \`noetl-temporal test ${file}\` runs it`,
    ...(toFill === undefined ? [] : [`it fails until it is filled in: ${toFill}`]),
  ];
  await print(printable(lines.join('\n')));
}

/** @param sandbox of code that rehearsals execute */
async function rehearsed(files: readonly string[], sandbox: string | undefined): Promise<Report[]> {
  const reports: Report[] = [];
  const closing = new Closing();
  let python: PythonExecution | undefined;
  const execute: CallExecutor = async (call) => {
    if (!python) {
      const { pythonExecution } = await import('../runtime/execute-python.js');
      python = pythonExecution('python', sandbox);
      closing.add(() => python!.close());
    }
    return await python.execute(call);
  };
  return await closing.after(async () => {
    for (const file of files) reports.push(await rehearse(file, execute));
    return reports;
  });
}

async function rehearse(file: string, execute: CallExecutor): Promise<Report> {
  const { rehearsed: read, diagnostics, text } = readRehearsalFile(file);
  const results: FileReport['results'][number][] = [];
  for (const rehearsal of read?.rehearsals ?? []) {
    const start = performance.now();
    const result = executes(rehearsal)
      ? await runRehearsalWith(rehearsal, read!, execute)
      : runRehearsal(rehearsal, read!);
    results.push({ ...result, seconds: (performance.now() - start) / 1_000 });
  }
  return { file, playbook: read?.playbook.file ?? '', diagnostics, results, text };
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
