/** What the files of a folder tell the service: sub-playbooks and their inputs, credentials, rehearsals. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type KnownPlaybooks } from '../../language/dsl';
import { type PlanInputs } from '../../language/plan';
import { factsOfText, type KnownResults, resultsOfRehearsal, type Surroundings } from '../../service';
import { extensions } from '../extensions';
import { type FacadeKnowledge, type Former } from './facade';
import { yamlFiles } from '../input/yaml-files';

interface ReadFile {
  readonly mtimeMs: number;
  readonly text: string;
  readonly path?: string;
  readonly inputs: readonly string[];
  readonly credentials: readonly string[];
}

/** A folder is read again after so many milliseconds; of its files, those that have changed. */
const LISTING_LASTS_MS = 2_000;

export class Workspace {
  private readonly files = new Map<string, ReadFile>();
  private listedAt = -Infinity;

  constructor(
    private readonly roots: readonly string[],
    /** The text of an open document. */
    private readonly opened: (uri: string) => string | undefined,
    private readonly facade?: FacadeKnowledge,
  ) {}

  surroundings(): Surroundings {
    this.list();
    const read = [...this.files.values()];
    const own = read.flatMap((each) => (each.path === undefined ? [] : [[each.path, each.inputs] as const]));
    const named = read.flatMap(({ credentials }) => credentials);
    const { playbooks: others, credentials } = this.facade?.names ?? { playbooks: [], credentials: [] };
    const playbooks = new Map([...own, ...others, ...own]);
    return {
      kinds: extensions().kinds,
      playbooks,
      credentials: [...new Set([...named, ...credentials])].toSorted(),
      catalog: catalogOf(playbooks),
      resultsFor: (uri) => this.resultsFor(uri),
      read: (uri, name) => this.beside(uri, name),
      runsFor: (uri) => this.formerOf(uri),
    };
  }

  /** Rehearsal files of the folder, for renaming: those that name the playbook. */
  rehearsalsOf(uri: string): { uri: string; text: string }[] {
    this.list();
    return [...this.files.keys()].flatMap((file) => {
      const own = pathToFileURL(file).href;
      const text = this.opened(own) ?? this.files.get(file)?.text ?? '';
      const named = /^playbook:\s*["']?([^\s"'#]+)/m.exec(text)?.[1];
      return named !== undefined && this.beside(own, named)?.uri === uri ? [{ uri: own, text }] : [];
    });
  }

  private beside(uri: string, name: string): { uri: string; text: string } | undefined {
    if (!uri.startsWith('file:')) return undefined;
    const file = path.resolve(path.dirname(fileURLToPath(uri)), name);
    const other = pathToFileURL(file).href;
    const text = this.opened(other) ?? textOf(file);
    return text === undefined ? undefined : { uri: other, text };
  }

  private resultsFor(uri: string): KnownResults | undefined {
    const name = uri.startsWith('file:')
      ? path.basename(fileURLToPath(uri)).replace(/\.ya?ml$/i, '.rehearsal.yaml')
      : undefined;
    const rehearsal = name === undefined ? undefined : this.beside(uri, `./${name}`);
    const mocked = rehearsal && resultsOfRehearsal(rehearsal.text);
    const former = this.formerOf(uri)?.results;
    // What a run really had says more than a mock.
    return mocked && former
      ? { resultOf: (step, task) => former.resultOf(step, task) ?? mocked.resultOf(step, task) }
      : (former ?? mocked);
  }

  /** What a facade knows of the executions of the playbook in a document. */
  formerOf(uri: string): Former | undefined {
    const path = this.facade && factsOfText(this.opened(uri) ?? '').path;
    return path === undefined ? undefined : this.facade?.of(path);
  }

  private list(): void {
    const now = performance.now();
    if (now - this.listedAt < LISTING_LASTS_MS) return;
    this.listedAt = now;
    const before = new Set(this.files.keys());
    for (const root of this.roots)
      for (const file of filesBelow(root)) {
        before.delete(file);
        this.readFile(file);
      }
    for (const file of before) this.files.delete(file);
  }

  private readFile(file: string): void {
    const mtimeMs = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    if (mtimeMs === undefined || this.files.get(file)?.mtimeMs === mtimeMs) return;
    const text = textOf(file) ?? '';
    this.files.set(file, { mtimeMs, text, ...factsOfText(text) });
  }
}

function filesBelow(root: string): string[] {
  try {
    return [...yamlFiles(root)];
  } catch {
    return [];
  }
}

/** Undefined where there is no such file, or a very large one. */
function textOf(file: string): string | undefined {
  const size = fs.statSync(file, { throwIfNoEntry: false })?.size;
  return size === undefined || size > 2 ** 21 ? undefined : fs.readFileSync(file, 'utf8');
}

/** Which inputs a playbook of the folder declares is left to `validate`: here only whether it exists. */
export function catalogOf(playbooks: ReadonlyMap<string, unknown>): KnownPlaybooks {
  return {
    has: (called) => playbooks.has(called) || /\.ya?ml$/.test(called) || called.startsWith('.'),
    paths: () => playbooks.keys(),
    inputsOf: (): PlanInputs | undefined => undefined,
    partial: true,
  };
}
