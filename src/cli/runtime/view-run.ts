/** The output of `view`: the console's run view with all its data, in one file that loads nothing. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { graphOf } from '../../language/dsl/graph';
import { type CanonicalEvent, explainExecution, Overview } from '../../history';
import { type Plan } from '../../language/plan';
import { appendAll } from '../../language/plan/append';
import { CodedError, EnvironmentError } from '../../language/errors';
import { EXIT } from '../errors';
import { SaidProgress } from '../output/progress';
import { linesOfFile } from './executions/source-lines';
import { type ExecutionSource } from './executions';
import { type RecordedRun } from './recorded-run';
import { withRecorded } from './with-recorded';

export interface ViewOptions extends ExecutionSource {
  readonly html: string;
}

/**
 * @returns the exit code
 * @throws UsageError if the target is not a run; EnvironmentError `CONSOLE_MISSING`
 */
export async function viewRun(named: readonly string[], options: ViewOptions): Promise<number> {
  const [script, style] = [builtFile('view.js'), builtFile('view.css')];
  return await withRecorded(named, options, async (run) => {
    const { path: title, data, events, leftOut } = await contentOf(run);
    fs.writeFileSync(options.html, pageOf(title, JSON.stringify(data), script, style));
    const left = leftOut > 0 ? `, without ${leftOut} of iterations` : '';
    process.stderr.write(`${options.html}: ${String(events)} events${left}\n`);
    return EXIT.success;
  });
}

interface Content {
  /** Of the playbook. */
  readonly path: string;
  readonly data: object;
  readonly events: number;
  /** Events of iterations that are not in it. */
  readonly leftOut: number;
}

export async function contentOf(run: Pick<RecordedRun, 'pages' | 'converter'>): Promise<Content> {
  const progress = new SaidProgress('events derived');
  const overview = new Overview();
  const events: CanonicalEvent[] = [];
  const source: { plan?: Plan } = {};
  const { decisions } = await explainExecution(run.pages(), (plan) => linesOfFile((source.plan = plan)), {
    converter: run.converter,
    bodies: true,
    progress: (count) => progress.to(count),
    onEvents: (some) => appendAll(events, some.filter(overview.keeps)),
  });
  const { plan } = source;
  if (!plan) throw new CodedError('HISTORY', 'nothing has run yet: there are no events');
  const { leftOut } = overview;
  const lines = linesOf(linesOfFile(plan));
  const data = { plan, graph: graphOf(plan), events, leftOut, decisions, lines };
  return { path: plan.metadata.path, data, events: events.length, leftOut };
}

function linesOf(lineAt: (line: number) => string | undefined): string[] {
  const lines: string[] = [];
  for (let line = lineAt(1); line !== undefined; line = lineAt(lines.length + 1)) lines.push(line);
  return lines;
}

/** The data cannot close a script element, and the policy allows only the script with this hash. */
function pageOf(title: string, data: string, script: string, style: string): string {
  const inert = data.replace(/</g, '\\u003c');
  const safe = script.replace(/<\/(script)/gi, '<\\/$1');
  const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ${hash(safe)}; style-src ${hash(style)}">
<title>${title.replace(/[&<>"]/g, '')}</title>
<style>${style}</style>
</head>
<body>
<div id="console"></div>
<script type="application/json" id="run">${inert}</script>
<script>${safe}</script>
</body>
</html>
`;
}

/** @throws EnvironmentError `CONSOLE_MISSING` */
function builtFile(name: string): string {
  const root = path.resolve(__dirname, '../../..');
  const file = [path.join(root, 'console', name), path.join(root, 'dist', 'console', name)].find((one) =>
    fs.existsSync(one),
  );
  if (file !== undefined) return fs.readFileSync(file, 'utf8');
  throw new EnvironmentError('CONSOLE_MISSING', 'the console was not built', ['Run npm run build.']);
}
