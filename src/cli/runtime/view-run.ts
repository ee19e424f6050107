/** The output of `view`: the console's run view with all its data, in one file that loads nothing. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { Derivation, unpackPayloads } from '../../history';
import { EnvironmentError } from '../../language/errors';
import { EXIT } from '../errors';
import { SaidProgress } from '../output/progress';
import { linesOfFile } from './executions/source-lines';
import { type PortFlags } from './port';
import { type RecordedRun } from './recorded-run';
import { withRecorded } from './with-recorded';

export interface ViewOptions extends PortFlags {
  readonly html: string;
}

/**
 * @returns the exit code
 * @throws UsageError if the target is not a run; EnvironmentError `CONSOLE_MISSING`
 */
export async function viewRun(named: readonly string[], options: ViewOptions): Promise<number> {
  const files = { script: builtFile(/^view\.js$/), style: builtFile(/^view\.css$/) };
  const reader = builtFile(/^reader-\w+\.js$/, 'assets');
  return await withRecorded(named, options, async (run) => {
    const { path: title, lines, history, events } = await contentOf(run);
    const data = { run: JSON.stringify({ reader, lines }), history };
    fs.writeFileSync(options.html, pageOf(title, data, files));
    process.stderr.write(`${options.html}: ${String(events)} events\n`);
    return EXIT.success;
  });
}

interface Content {
  /** Of the playbook. */
  readonly path: string;
  readonly lines: readonly string[];
  /** As JSON, its values unpacked. */
  readonly history: string;
  readonly events: number;
}

export async function contentOf(run: Pick<RecordedRun, 'pages' | 'converter'>): Promise<Content> {
  const { converter } = run;
  const progress = new SaidProgress('events derived');
  const derivation = new Derivation({ converter, progress: (count) => progress.to(count) });
  const events: string[] = [];
  for await (const page of run.pages()) {
    const unpacked = [...(await unpackPayloads(page, converter))];
    await derivation.pass(unpacked);
    const { events: plain } = JSON.parse(historyToJSON({ events: unpacked })) as {
      events: readonly object[];
    };
    for (const event of plain) events.push(JSON.stringify(event));
  }
  const { plan, lastSeq } = derivation;
  const lines = linesOf(linesOfFile(plan));
  return { path: plan.metadata.path, lines, history: `{"events":[${events.join(',')}]}`, events: lastSeq };
}

function linesOf(lineAt: (line: number) => string | undefined): string[] {
  const lines: string[] = [];
  for (let line = lineAt(1); line !== undefined; line = lineAt(lines.length + 1)) lines.push(line);
  return lines;
}

/** The data cannot close a script element, and the policy allows only the script with this hash, and the worker that it starts. */
function pageOf(
  title: string,
  data: Readonly<Record<string, string>>,
  { script, style }: { readonly script: string; readonly style: string },
): string {
  const inert = Object.entries(data).map(
    ([id, json]) => `<script type="application/json" id="${id}">${json.replace(/</g, '\\u003c')}</script>`,
  );
  const safe = script.replace(/<\/(script)/gi, '<\\/$1');
  const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ${hash(safe)}; style-src ${hash(style)}; worker-src blob:">
<title>${title.replace(/[&<>"]/g, '')}</title>
<style>${style}</style>
</head>
<body>
<div id="console"></div>
${inert.join('\n')}
<script>${safe}</script>
</body>
</html>
`;
}

/** @throws EnvironmentError `CONSOLE_MISSING` */
function builtFile(named: RegExp, folder = ''): string {
  const root = path.resolve(__dirname, '../../..');
  for (const built of [path.join(root, 'console', folder), path.join(root, 'dist', 'console', folder)]) {
    const name = fs.existsSync(built) && fs.readdirSync(built).find((one) => named.test(one));
    if (name) return fs.readFileSync(path.join(built, name), 'utf8');
  }
  throw new EnvironmentError('CONSOLE_MISSING', 'the console was not built', ['Run npm run build.']);
}
