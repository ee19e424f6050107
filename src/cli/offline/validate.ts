import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { pythonSyntax } from '../../../activities/kinds/python/syntax';
import {
  checkResource,
  type KnownPlaybooks,
  compile,
  diagnosticDocument,
  formatDiagnostics,
  inOrder,
  sarifLog,
} from '../../language/dsl';
import { everyTask, type Plan } from '../../language/plan';
import { EXIT, UsageError } from '../errors';
import { extensions } from '../extensions';
import { type mended } from '../../language/dsl/upgrade';
import { formatIn } from '../input/format';
import { compileFile, type CompiledFile, looksRegistrable, playbookFiles } from '../input/playbook';
import { PlaybookFolder } from '../input/playbook-folder';
import { paint, wantsColor } from '../output/paint';
import { print } from '../output/say';
import { packageVersion } from '../output/version';

/** A file as it is, or as it would be, with its fixes made. */
interface CheckedFile extends CompiledFile {
  /** The text before the fixes that were not written. */
  readonly before?: string;
  /** It is no playbook, but a resource without errors. */
  readonly resource?: true;
}

const isSound = ({ plan, resource }: CheckedFile): boolean => plan !== undefined || resource === true;

type Answer = (checked: readonly CheckedFile[]) => string | Promise<string>;

/** Values of `--format`. */
const FORMATS: Readonly<Record<string, Answer>> = {
  text: asText,
  json: asJson,
  sarif: asSarif,
  github: async (checked) => (await import('../output/annotations.js')).diagnosticAnnotations(checked),
};

/**
 * `validate FILE…`: checks playbooks without running them, and makes fixes if asked to. Exit code 0, or 2 if one has
 * an error (left). `-` is standard input.
 */
export async function validateFiles(files: string[], flags: ValidateFlags): Promise<void> {
  const answer = formatIn(FORMATS, flags.format);
  // What few calls need is loaded for them alone: here, and for their formats.
  const mend =
    flags.fix || flags.fixDryRun ? (await import('../../language/dsl/upgrade/index.js')).mended : undefined;
  const checked = await withPythonSyntax(check(playbookFiles(files, looksRegistrable), flags, mend));
  await print(await answer(checked));
  process.exitCode = checked.every(isSound) ? EXIT.success : EXIT.usage;
}

export interface ValidateFlags {
  readonly strict?: boolean;
  readonly format: string;
  readonly catalog?: readonly string[];
  readonly fix?: boolean;
  readonly fixDryRun?: boolean;
}

/** Called playbooks are looked up among the given files and in the catalog; for a single file, around it. */
function check(files: readonly string[], flags: ValidateFlags, mend?: typeof mended): CheckedFile[] {
  const { strict, catalog: folders, fix } = flags;
  const fixes = flags.format !== 'text';
  if (fix && files.includes('-'))
    throw new UsageError('standard input cannot be changed: --fix-dry-run shows what --fix would change');
  for (const folder of folders ?? []) {
    if (!fs.existsSync(folder)) throw new UsageError(`--catalog ${folder}: there is no such folder`);
  }
  const once = files.map((file) => compileFile(file, { strict }));
  const catalog = files.length < 2 && folders === undefined ? around(files) : catalogOf(once, folders ?? []);
  return once.map((one) => {
    const { file, text } = one;
    const other = one.diagnostics.some(({ code }) => code === 'NT2011')
      ? checkResource(text, { file, strict, sources: extensions().sourceFields })
      : undefined;
    if (other)
      return { file, text, diagnostics: other.diagnostics, ...(other.metadata && { resource: true }) };
    const options = { file, strict, catalog: withFiles(catalog, file), kinds: extensions().kinds, fixes };
    if (mend) return fixed(one, mend(text, options), fix === true);
    const isKnown = one.plan !== undefined && !calls(one.plan) && !(fixes && one.diagnostics.length > 0);
    return isKnown ? one : { ...one, ...compile(text, options) };
  });
}

function fixed(
  { file, text: before }: CompiledFile,
  { text, compiled }: ReturnType<typeof mended>,
  write: boolean,
): CheckedFile {
  if (write && text !== before) fs.writeFileSync(file, text);
  return { file, text, ...compiled, ...(!write && { before }) };
}

/** One process checks the code of all files. */
async function withPythonSyntax(files: readonly CheckedFile[]): Promise<CheckedFile[]> {
  const diagnostics = await pythonSyntax(files.flatMap(({ code = [] }) => code));
  return files.map((one) => {
    const own = diagnostics.filter(({ file }) => file === one.file);
    const wrong = own.some(({ severity }) => severity === 'error');
    return {
      ...one,
      plan: wrong ? undefined : one.plan,
      diagnostics: inOrder([...one.diagnostics, ...own]),
    };
  });
}

function catalogOf(files: readonly CompiledFile[], folders: readonly string[]): KnownPlaybooks {
  const own = files.flatMap(({ plan }) => plan?.metadata.path ?? []);
  // The path of a file with errors is uncertain.
  const broken = files.filter(({ plan }) => plan === undefined).map(({ text }) => text);
  const folder = new PlaybookFolder(folders);
  const paths = new Set([...own, ...folder.paths()]);
  const inputs = new Map(files.flatMap(({ plan }) => (plan ? [[plan.metadata.path, plan.inputs]] : [])));
  return {
    has: (path) => paths.has(path) || broken.some((text) => text.includes(path)),
    paths: () => paths,
    inputsOf: (called) => (inputs.has(called) ? inputs.get(called) : folder.inputsOf(called)),
  };
}

/** The playbooks in the folder of a file, which may not be all. */
function around([file]: readonly string[]): KnownPlaybooks {
  const folder = new PlaybookFolder(file === undefined || file === '-' ? [] : [path.dirname(file)]);
  let pathSet: ReadonlySet<string> | undefined;
  const paths = (): ReadonlySet<string> => (pathSet ??= new Set(folder.paths()));
  return {
    has: (called) => paths().has(called),
    paths,
    inputsOf: (called) => folder.inputsOf(called),
    partial: true,
  };
}

/** And the files that are called by where they are. */
function withFiles(catalog: KnownPlaybooks, from: string): KnownPlaybooks {
  const trees = PlaybookFolder.around(from);
  return {
    ...catalog,
    has: (called) => catalog.has(called) || trees.relative({ path: called, from }) !== undefined,
  };
}

function calls(plan: Plan): boolean {
  return plan.steps.flatMap(everyTask).some((task) => task.kind === 'playbook');
}

function asJson(checked: readonly CheckedFile[]): string {
  const document = {
    ok: checked.every(isSound),
    files: checked.map(({ file, text, before = text, diagnostics }) => ({
      file,
      ...(before !== text && { fixed: text }),
      diagnostics: diagnostics.map(diagnosticDocument),
    })),
  };
  return JSON.stringify(document, null, 2);
}

function asSarif(checked: readonly CompiledFile[]): string {
  const files = checked.map(({ file, diagnostics }) => ({ uri: uriOf(file), diagnostics }));
  return JSON.stringify(sarifLog(files, packageVersion()), null, 2);
}

/** Relative to the current folder, which code-scanning services assume to be the root of the repository. */
function uriOf(file: string): string {
  if (file === '-') return 'stdin';
  const relative = path.relative(process.cwd(), file);
  const outside = relative.startsWith('..') || path.isAbsolute(relative);
  return outside ? pathToFileURL(file).href : relative.split(path.sep).join('/');
}

async function asText(checked: readonly CheckedFile[]): Promise<string> {
  const isChanged = checked.some(({ before }) => before !== undefined);
  const { shownDiff } = isChanged ? await import('../output/shown-diff.js') : { shownDiff: undefined };
  const color = wantsColor(process.stdout);
  const { dim, green } = paint(color);
  const first = checked.flatMap(({ diagnostics }) => diagnostics).find(({ severity }) => severity !== 'info');
  const help = first ? [dim(`\`noetl-temporal help ${first.code}\` explains a code.`)] : [];
  const shown = checked.map((one) => {
    const { file, text, before = text, diagnostics } = one;
    return [
      ...(shownDiff && before !== text ? [shownDiff(file, before, text).trimEnd()] : []),
      ...(diagnostics.length > 0 ? [formatDiagnostics(diagnostics, text, { color })] : []),
      ...(isSound(one) ? [`${green('✓')} ${file}`] : []),
    ].join('\n');
  });
  return [...shown, ...help].join('\n\n');
}
