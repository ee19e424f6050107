/** From a name given by the user to a Plan. */
import { isUtf8 } from 'node:buffer';
import fs from 'node:fs';
import {
  type CodeBlock,
  compile,
  type Diagnostic,
  formatDiagnostics,
  looksExecutable,
} from '../../language/dsl';
import { catalogPath, didYouMeanPath, type Plan } from '../../language/plan';
import { UsageError } from '../errors';
import { extensions } from '../extensions';
import { wantsColor } from '../output/paint';
import { PlaybookFolder } from './playbook-folder';
import { yamlFiles } from './yaml-files';

export interface CompiledFile {
  readonly file: string;
  readonly text: string;
  readonly plan?: Plan;
  readonly diagnostics: readonly Diagnostic[];
  readonly code?: readonly CodeBlock[];
}

export interface LoadedPlaybook extends CompiledFile {
  readonly plan: Plan;
}

/**
 * The file `-` is standard input.
 *
 * @throws UsageError if the file cannot be read
 */
export function compileFile(file: string, options: { strict?: boolean } = {}): CompiledFile {
  const text = readText(file);
  return { file, text, ...compile(text, { file, strict: options.strict, kinds: extensions().kinds }) };
}

/**
 * The Plan of a file, or of the playbook with that `metadata.path` below the current folder. Diagnostics are
 * printed, one block each.
 *
 * @throws UsageError if there is no such playbook, or it has errors
 */
export function loadPlaybook(
  name: string,
  options: { write?: (text: string) => void; strict?: boolean } = {},
): LoadedPlaybook {
  const file = fs.existsSync(name) ? name : findByPath(name);
  const compiled = compileFile(file, options);
  tellDiagnostics(compiled.diagnostics, compiled, options.write);
  return { ...compiled, plan: compiled.plan! };
}

/**
 * @param write default: to standard error, in color on a terminal
 * @throws UsageError if a diagnostic is an error
 */
export function tellDiagnostics(
  diagnostics: readonly Diagnostic[],
  { file, text }: Pick<CompiledFile, 'file' | 'text'>,
  write?: (text: string) => void,
): void {
  const color = write === undefined && wantsColor(process.stderr);
  write ??= (shown) => void process.stderr.write(shown);
  if (diagnostics.length > 0) write(`${formatDiagnostics([...diagnostics], text, { color })}\n`);
  const errors = diagnostics.filter((one) => one.severity === 'error').length;
  if (errors > 0)
    throw new UsageError(`${file}: ${errors} error${errors === 1 ? '' : 's'}; nothing was started`);
}

/** Rehearsals and faults, which a pattern of a shell such as `*.yaml` names with the playbooks beside them. */
const BESIDE = /\.(rehearsal|faults)\.ya?ml$/i;

/** Playbooks, and what starts them. */
export function looksRegistrable(text: string): boolean {
  return looksExecutable(text) || /^kind:\s*['"]?Subscription\b/m.test(text);
}

/**
 * The files, and for a folder the playbooks below it.
 *
 * @param looksRight of which documents of a folder, by their text
 * @throws UsageError if there is no such file
 */
export function playbookFiles(names: readonly string[], looksRight = looksExecutable): string[] {
  const playbooks = names.filter((name) => !BESIDE.test(name));
  const files = (playbooks.length > 0 ? playbooks : names).flatMap((name) =>
    name !== '-' && fs.existsSync(name) && fs.statSync(name).isDirectory()
      ? [...yamlFiles(name)].filter((file) => looksRight(readText(file)))
      : [name],
  );
  return [...new Set(files)];
}

/** @throws UsageError if the file cannot be read */
export function readText(file: string): string {
  try {
    return textIn(fs.readFileSync(file === '-' ? 0 : file), file);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') throw new UsageError(`${file}: there is no such file`);
    throw new UsageError(
      `${file}: ${code === 'EISDIR' ? 'is a folder, not a playbook' : `cannot be read (${code})`}`,
    );
  }
}

/** @throws UsageError with the place of the first byte that is not UTF-8 */
function textIn(bytes: Buffer, file: string): string {
  // Without a mark, every other byte of a Latin text is zero.
  if (bytes[0] === 0xff || bytes[0] === 0xfe || bytes.subarray(0, 2).includes(0))
    throw new UsageError(`${file}: the file is UTF-16: save it as UTF-8`);
  if (isUtf8(bytes)) return bytes.toString('utf8');
  const text = bytes.toString('utf8');
  const [at, offset] = firstInvalid(bytes, text);
  const lines = text.slice(0, at).split('\n');
  const byte = (bytes[offset] ?? 0).toString(16).toUpperCase().padStart(2, '0');
  const place = `${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
  throw new UsageError(`${file}: the file is not UTF-8, byte ${byte} at ${place}: save it as UTF-8`);
}

/** Where decoding put a replacement that the file does not contain: index in the text, offset in the bytes. */
function firstInvalid(bytes: Buffer, text: string): [at: number, offset: number] {
  const replacement = Buffer.from('\uFFFD');
  for (let at = text.indexOf('\uFFFD'); at >= 0; at = text.indexOf('\uFFFD', at + 1)) {
    const offset = Buffer.byteLength(text.slice(0, at));
    if (!bytes.subarray(offset, offset + 3).equals(replacement)) return [at, offset];
  }
  return [text.length, bytes.length];
}

/** The file of the playbook with that `metadata.path` below the current folder. @throws UsageError if there is none */
export function findByPath(name: string): string {
  if (/\.(ya?ml)$/i.test(name)) throw new UsageError(`${name}: there is no such file`);
  const path = catalogPath(name);
  for (const file of yamlFiles('.')) {
    const text = readText(file);
    if (!text.includes(path)) continue;
    const { plan } = compile(text, { file, kinds: extensions().kinds });
    if (plan?.metadata.path === path || plan?.metadata.name === name) return file;
  }
  throw new UsageError(
    `${name}: there is no such file, and no playbook below this folder has that path` +
      didYouMeanPath(name, new PlaybookFolder(['.']).paths()),
  );
}
