/**
 * `libs: {requirements: [...]}`: a virtual environment per set of requirements, created once with pip and cached in
 * a folder (`NOETL_PYTHON_VENVS`, else `~/.cache/noetl-temporal/venvs`) under a hash of the interpreter and the
 * set.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { isMapping, type Json, type JsonObject } from '../../../src/language/plan';
import { shortenedText, TailBuffer } from '../../framework/tool/bounded';
import { type Isolation } from '../../framework/sandbox';
import { pythonCandidates, pythonEnvironment } from './interpreter/find';
import { invalidInput, ToolError } from '../../framework/tool/outcome';
import { runInBackground } from '../../framework/process/background';
import { terminateGroup } from '../../framework/process/group';

const INSTALL_LIMIT_MS = 10 * 60 * 1000;

/**
 * Extracts `requirements` (a list, or text with one per line) from `libs`. @throws ToolError `INVALID_REQUIREMENTS`
 */
export function splitLibs(libs: Json | undefined): { requirements: string[]; libs: Json | undefined } {
  if (!isMapping(libs)) return { requirements: [], libs };
  const { requirements, ...rest } = libs as JsonObject;
  const isText = typeof requirements === 'string' && /[\s=<>~![]/.test(requirements.trim());
  // `requirements: yaml` is still an alias of a module.
  if (!Array.isArray(requirements) && !isText) return { requirements: [], libs };
  const lines = Array.isArray(requirements) ? requirements : (requirements as string).split('\n');
  const checkedLines = lines.map((line) =>
    typeof line === 'string' ? line.replace(/(^|\s)#.*$/, '').trim() : line,
  );
  const wrong = checkedLines.find((line) => typeof line !== 'string' || line.startsWith('-'));
  if (wrong !== undefined) {
    const message = `python: ${JSON.stringify(wrong)} is not a requirement; write a package, such as "humanize==4.9.0" (options of pip are settings of the worker: PIP_INDEX_URL, …)`;
    throw invalidInput(message, 'INVALID_REQUIREMENTS');
  }
  return {
    requirements: [...new Set((checkedLines as string[]).filter((line) => line !== ''))].sort(),
    libs: Object.keys(rest).length > 0 ? rest : undefined,
  };
}

/** A distribution, extras, versions and a marker: neither an address nor a path. */
const OF_INDEX = /^[A-Za-z0-9][\w.-]*\s*(\[[\w.,\s-]*\])?\s*([<>=!~][^@/\\;]*)?(;[^@/\\]*)?$/;

/** Creates and caches environments. */
export class VirtualEnvironments {
  private readonly making = new Map<string, Promise<string>>();
  private readonly children = new Set<ChildProcess>();
  private isClosed = false;

  constructor(private readonly env: NodeJS.ProcessEnv = process.env) {}

  /**
   * The folder of an environment with the requirements. Creation continues if the first task is cancelled,
   * because later ones need it too. Installing must not run code outside of the task's sandbox: with a level, only
   * built packages (wheels) of the index are taken.
   *
   * @throws ToolError `REQUIREMENTS_FAILED` with pip's message, `INVALID_REQUIREMENTS`
   */
  folderOf(requirements: readonly string[], level?: Isolation): Promise<string> {
    const wheels = level !== undefined;
    const other = wheels ? requirements.find((one) => !OF_INDEX.test(one)) : undefined;
    if (other !== undefined) {
      const message = `python: ${JSON.stringify(other)} is not a package of the index with versions, such as "humanize==4.9.0"; a sandboxed task (${level}) takes no other`;
      return Promise.reject(invalidInput(message, 'INVALID_REQUIREMENTS'));
    }
    const key = [...(wheels ? ['--only-binary=:all:'] : []), ...requirements].join('\n');
    let folder = this.making.get(key);
    if (!folder) {
      folder = this.find(requirements, wheels);
      this.making.set(key, folder);
      folder.catch(() => this.making.delete(key));
    }
    return folder;
  }

  /** Aborts environments being created, and waits until nothing writes to their folders any more. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const child of this.children) terminateGroup(child);
    await Promise.allSettled(this.making.values());
  }

  private async find(requirements: readonly string[], wheels: boolean): Promise<string> {
    const base = await this.base();
    const hash = createHash('sha256')
      .update([base, ...(wheels ? ['wheels only'] : []), ...requirements].join('\n'))
      .digest('hex')
      .slice(0, 24);
    const root =
      this.env['NOETL_PYTHON_VENVS'] ||
      path.join(this.env['XDG_CACHE_HOME'] || path.join(os.homedir(), '.cache'), 'noetl-temporal', 'venvs');
    const folder = path.join(root, hash);
    const interpreter = path.join(folder, 'bin', 'python');
    if (await exists(interpreter)) return folder;
    await mkdir(root, { recursive: true });
    // Under a temporary name until complete; of two concurrent workers the first wins.
    const partial = `${folder}.${randomUUID()}.partial`;
    try {
      await this.run(base.split('\n')[0]!, ['-m', 'venv', partial], requirements);
      const pip = [
        '-m',
        'pip',
        'install',
        '--disable-pip-version-check',
        '--no-input',
        '--quiet',
        ...(wheels ? ['--only-binary', ':all:'] : []),
        '--',
        ...requirements,
      ];
      await this.run(path.join(partial, 'bin', 'python'), pip, requirements);
      await rename(partial, folder).catch(async (error: unknown) => {
        if (!(await exists(interpreter))) throw error;
      });
    } finally {
      await rm(partial, { recursive: true, force: true });
    }
    return folder;
  }

  /** The interpreter's path and version: another one needs another environment. */
  private async base(): Promise<string> {
    const says = 'import sys; print(sys.executable); print(sys.version)';
    let failure: unknown;
    for (const command of pythonCandidates(this.env)) {
      try {
        return await this.run(command, ['-c', says], []);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  private run(command: string, args: string[], requirements: readonly string[]): Promise<string> {
    const pip = Object.entries(this.env).filter(([name]) => name.startsWith('PIP_'));
    const env = { ...pythonEnvironment(this.env), ...Object.fromEntries(pip), PYTHONPATH: '' };
    return new Promise((resolve, reject) => {
      if (this.isClosed) return reject(refusal(requirements, 'the worker is stopping'));
      const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
      this.children.add(child);
      runInBackground(child.pid);
      const output = new TailBuffer(16_384);
      const errors = new TailBuffer(16_384);
      child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
      child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
      const timer = setTimeout(() => terminateGroup(child), INSTALL_LIMIT_MS);
      const ended = (): void => {
        clearTimeout(timer);
        this.children.delete(child);
      };
      child.on('error', (error) => {
        ended();
        reject(refusal(requirements, error.message));
      });
      child.on('close', (code) => {
        ended();
        if (code === 0) resolve(output.toString().trim());
        else reject(refusal(requirements, errors.toString() || output.toString() || `exit code ${code}`));
      });
    });
  }
}

/** The author must fix a requirement that pip cannot find; an unreachable index may come back. */
function refusal(requirements: readonly string[], output: string): ToolError {
  const offline = /(connection|network|timed? ?out|temporary failure|proxy|unreachable|retries)/i.test(
    output,
  );
  const missing = /(Invalid requirement|ResolutionImpossible|conflicting dependencies)/i.test(output);
  const lines = output
    .split('\n')
    .filter((line) => /error/i.test(line))
    .map((line) => line.replace(/^ERROR:\s*/, '').trim());
  const why = (lines.length > 0 ? lines : [output.trim().split('\n').at(-1) ?? '']).slice(0, 4).join('; ');
  return new ToolError({
    kind: offline && !missing ? 'connection' : 'validation',
    code: 'REQUIREMENTS_FAILED',
    message: `python: ${requirements.join(', ') || 'the interpreter'} cannot be installed: ${shortenedText(why, 2000)}`,
    retryable: offline && !missing,
  });
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
