/**
 * `--format github`: findings as commands that GitHub's runner (and those of Gitea and Forgejo) turns into annotations on the lines
 * of a change. Each says what, where and what to do.
 */
import path from 'node:path';
import { type Diagnostic } from '../../language/dsl';
import { type Covered, type VerdictGroup, type Verification } from '../../offline/proof';
import { VERDICT_WORDS } from '../../offline/proof/verify/verdicts';
import { diffText, type FileReport, totalsOf } from '../../offline/rehearsal/report/report';
import { valueText } from './finding-text';
import { printable } from './paint';

interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly file: string;
  readonly line: number;
  readonly column?: number;
  readonly endLine?: number;
  readonly endColumn?: number;
  readonly title: string;
  /** Lines. */
  readonly message: readonly string[];
}

function annotationText(one: Annotation): string {
  const { level, file, line, column, endLine = line, endColumn, title, message } = one;
  // Columns of a place over several lines are refused.
  const columns = endLine === line ? { col: column, endColumn } : {};
  const properties = Object.entries({ file: inRepository(file), line, endLine, ...columns, title })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${escapedProperty(String(value))}`);
  return `::${level} ${properties.join(',')}::${escapedData(message.join('\n'))}`;
}

function escapedData(text: string): string {
  return printable(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapedProperty(text: string): string {
  return escapedData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** GitHub looks for files from the root of the repository. */
function inRepository(file: string): string {
  const root = process.env['GITHUB_WORKSPACE'] || process.cwd();
  const relative = path.relative(root, path.resolve(file));
  return (relative.startsWith('..') ? file : relative).replaceAll(path.sep, '/');
}

function textOf(annotations: readonly Annotation[], summary: string): string {
  return [...annotations.map(annotationText), summary].join('\n');
}

const LEVELS = { error: 'error', warning: 'warning', info: 'notice' } as const;

function ofDiagnostic(file: string, one: Diagnostic): Annotation {
  const { severity, code, message, hint, fix, line, column, endLine, endColumn } = one;
  return {
    ...{ level: LEVELS[severity], file, title: code },
    ...{ line, column, endLine, endColumn },
    message: [
      message,
      ...(hint === undefined ? [] : [hint]),
      ...(fix === undefined ? [] : [`Fix: ${fix.what} (\`noetl-temporal validate --fix ${file}\` makes it)`]),
    ],
  };
}

/** `validate` */
export function diagnosticAnnotations(
  files: readonly { readonly file: string; readonly diagnostics: readonly Diagnostic[] }[],
): string {
  const all = files.flatMap(({ file, diagnostics }) => diagnostics.map((one) => ofDiagnostic(file, one)));
  return textOf(all, `${counted(files.length, 'file')}, ${counted(all.length, 'finding')}`);
}

/** `test`: one for each rehearsal that failed, at what it expected, and for each error of a file. */
export function rehearsalAnnotations(reports: readonly FileReport[]): string {
  const all = reports.flatMap(({ file, playbook, diagnostics, results }) => [
    ...diagnostics.map((one) => ofDiagnostic(file, one)),
    ...results
      .filter(({ ok }) => !ok)
      .map((result): Annotation => {
        const [line, column] = result.problems[0]?.at ?? result.at;
        const message = diffText(result, { rehearsal: file, playbook }).split('\n');
        return { level: 'error', file, line, column, title: `Rehearsal: ${result.name}`, message };
      }),
  ]);
  const { passed, failed, broken } = totalsOf(reports);
  return textOf(all, `${passed} passed, ${failed} failed, ${counted(broken, 'file')} with errors`);
}

/** What no rehearsal or past run touches, of one playbook. @param problem where it is less than was asked for */
export function coverageAnnotations(file: string, { parts, runs }: Covered, problem?: string): string {
  const never = parts.filter(({ count }) => count === 0);
  const hint =
    runs === 0
      ? `\`noetl-temporal test --init ${file}\` writes a first rehearsal`
      : 'Add a rehearsal whose payload and mocks lead here';
  const untouched = never.map(({ kind, name, at }): Annotation => ({
    ...{ level: 'warning', file, line: at[0], column: at[1], title: 'Not covered' },
    message: [`No run touches ${kind} ${name}`, hint],
  }));
  const shown = runs === 0 ? untouched.slice(0, 1) : untouched;
  const failure: Annotation[] =
    problem === undefined
      ? []
      : [{ level: 'error', file, line: 1, title: 'Coverage', message: [problem, hint] }];
  return textOf([...failure, ...shown], `${file}: ${parts.length - never.length} of ${parts.length} touched`);
}

/** `verify` */
export function verificationAnnotations({
  new: file,
  groups,
  coverage,
  changed,
  executions,
}: Verification): string {
  const untouched = new Set(changed.flatMap((one) => one.untouched));
  const unproven = coverage.parts
    .filter(({ id }) => untouched.has(id))
    .map(({ kind, name, at }): Annotation => ({
      ...{ level: 'warning', file, line: at[0], column: at[1], title: 'Changed and not proven' },
      message: [
        `${kind} ${name} is of a changed step, and no past execution touched it`,
        'Add a rehearsal for it',
      ],
    }));
  const all = [...groups.map((group) => ofGroup(file, group)), ...unproven];
  return textOf(all, `${file}: ${counted(executions, 'past execution')} re-decided`);
}

function ofGroup(file: string, { kind, cause, count, example }: VerdictGroup): Annotation {
  const { finding, name } = example;
  const { recorded, now, now_at: at } = finding;
  const isOpen = kind === 'unanswerable';
  return {
    ...{ level: isOpen ? 'warning' : 'error', file, line: at?.line ?? 1, column: at?.column },
    title: `Past executions: ${VERDICT_WORDS[kind]}`,
    message: [
      `${count} × ${cause} (${name}: ${finding.what})`,
      ...(isOpen ? [] : [`recorded ${valueText(recorded)}`, `now ${valueText(now)}`]),
      `\`noetl-temporal whatif ${name} --playbook ${file}\` shows all that follows; if it is meant to, keep it with --to-rehearsal`,
    ],
  };
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
