/** Sub-playbooks as files, found by `metadata.path` in folder trees, or by their path relative to the caller. */
import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { compile, formatDiagnostics, looksExecutable } from '../../language/dsl';
import {
  didYouMeanPath,
  isMapping,
  type JsonObject,
  type Plan,
  type PlanInputs,
  playbookInputs,
  type PlaybookRequest,
} from '../../language/plan';
import { extensions } from '../extensions';
import { yamlFiles } from './yaml-files';
import { PlaybookRefused, type PlaybookResolver } from '../../temporal/worker/playbooks';

/** A loop that calls a playbook a thousand times scans the folders only once per second. */
const LISTING_LASTS_MS = 1_000;

interface PlaybookHead {
  readonly mtimeMs: number;
  readonly text: string;
  readonly path?: string;
  readonly version?: string;
  readonly inputs?: PlanInputs;
  plan?: Plan;
}

export class PlaybookFolder implements PlaybookResolver {
  private readonly roots: readonly string[];
  private readonly files = new Map<string, PlaybookHead>();
  private listing: { readonly at: number; readonly files: readonly string[] } | undefined;

  /** @param roots folders whose trees are searched for playbooks */
  constructor(roots: readonly string[]) {
    const all = [...new Set(roots.map((root) => path.resolve(root)))];
    this.roots = all.filter((root) => !all.some((other) => other !== root && isBelow(root, other)));
  }

  /** The trees around a playbook: its own folder, and the current folder if it contains the playbook. */
  static around(file: string): PlaybookFolder {
    const own = path.dirname(path.resolve(file));
    return new PlaybookFolder(isBelow(own, process.cwd()) ? [own, process.cwd()] : [own]);
  }

  async resolve(request: PlaybookRequest): Promise<Plan> {
    const file = this.relative(request) ?? this.newest(request);
    if (file === undefined) {
      const version = request.version === undefined ? '' : `, version ${request.version}`;
      throw new PlaybookRefused(
        'PLAYBOOK_NOT_FOUND',
        `no playbook below ${this.roots.join(' or ')} has the path ${request.path}${version}${didYouMeanPath(request.path, this.paths())}`,
      );
    }
    return this.compiled(file, request);
  }

  /** The paths of all playbooks in the trees. */
  paths(): string[] {
    return [...new Set(this.list().flatMap((file) => this.playbookIn(file).path ?? []))];
  }

  /** The declared inputs of the newest playbook of a path; undefined also if that is ambiguous. */
  inputsOf(path: string): PlanInputs | undefined {
    try {
      const file = this.newest({ path });
      return file === undefined ? undefined : this.playbookIn(file).inputs;
    } catch (error) {
      if (error instanceof PlaybookRefused) return undefined;
      throw error;
    }
  }

  /** The file that a path means from where it is called; undefined if there is none in the trees. */
  relative({ path: name, from, version }: PlaybookRequest): string | undefined {
    if (from === undefined || from === '-') return undefined;
    const base = path.resolve(path.dirname(from), name);
    const file = [base, `${base}.yaml`, `${base}.yml`].find((one) => /\.ya?ml$/i.test(one) && isFile(one));
    if (file === undefined || !this.roots.some((root) => isBelow(file, root))) return undefined;
    return version === undefined || this.playbookIn(file).version === version ? file : undefined;
  }

  private newest({ path: expectedPath, version }: PlaybookRequest): string | undefined {
    const matches = this.list()
      .map((file) => ({ file, ...this.playbookIn(file) }))
      .filter((one) => one.path === expectedPath && (version === undefined || one.version === version))
      .sort((a, b) => compareVersions(b.version ?? '', a.version ?? ''));
    const [first, second] = matches;
    if (first && second && compareVersions(first.version ?? '', second.version ?? '') === 0) {
      const both = [first.file, second.file].map((file) => path.relative(process.cwd(), file));
      throw new PlaybookRefused(
        'PLAYBOOK_AMBIGUOUS',
        `${both.join(' and ')} both have the path ${expectedPath}${first.version === undefined ? '' : ` and version ${first.version}`}: change metadata.path or version of one of them`,
      );
    }
    return first?.file;
  }

  private compiled(file: string, request: PlaybookRequest): Plan {
    const playbook = this.playbookIn(file);
    if (playbook.plan) return playbook.plan;
    const { plan, diagnostics } = compile(playbook.text, {
      file: path.relative(process.cwd(), file),
      kinds: extensions().kinds,
    });
    if (!plan) {
      const errors = diagnostics.filter(({ severity }) => severity === 'error');
      throw new PlaybookRefused(
        'PLAYBOOK_INVALID',
        `playbook ${request.path} (${path.relative(process.cwd(), file)}) has ${errors.length} error${errors.length === 1 ? '' : 's'}:\n${formatDiagnostics(errors, playbook.text)}`,
        {
          diagnostics: errors.map(({ code, message, line, column }) => ({ code, message, line, column })),
        },
      );
    }
    return (playbook.plan = plan);
  }

  /** The header of a file, read again when the file changes. */
  private playbookIn(file: string): PlaybookHead {
    const { mtimeMs } = fs.statSync(file);
    const before = this.files.get(file);
    if (before?.mtimeMs === mtimeMs) return before;
    const text = fs.readFileSync(file, 'utf8');
    const playbook = { mtimeMs, text, ...headOf(text) };
    this.files.set(file, playbook);
    return playbook;
  }

  private list(): readonly string[] {
    const now = Date.now();
    if (this.listing && now - this.listing.at < LISTING_LASTS_MS) return this.listing.files;
    const files = this.roots.flatMap((root) => [...yamlFiles(root)]);
    this.listing = { at: now, files };
    return files;
  }
}

/** Path, version and inputs as written; empty for anything but a playbook. */
function headOf(text: string): Pick<PlaybookHead, 'path' | 'version' | 'inputs'> {
  if (!looksExecutable(text)) return {};
  let root: unknown;
  try {
    root = parse(text, { logLevel: 'silent', uniqueKeys: false });
  } catch {
    return {};
  }
  const metadata = isMapping(root) && isMapping(root['metadata']) ? root['metadata'] : {};
  const name = metadata['path'] ?? (isMapping(root) ? root['path'] : undefined) ?? metadata['name'];
  const version = metadata['version'];
  const inputs = isMapping(root) ? playbookInputs(root as JsonObject) : undefined;
  return {
    ...(typeof name === 'string' ? { path: name } : {}),
    ...(typeof version === 'string' || typeof version === 'number' ? { version: String(version) } : {}),
    ...(inputs && { inputs }),
  };
}

/** Compares numerically, so that 10 follows 9. */
function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

function isBelow(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative === '' || (!relative.startsWith('..') && !path.isAbsolute(relative));
}

function isFile(file: string): boolean {
  return fs.statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}
