/** The past executions that a version is verified against: history files, folders of them, or a query. */
import fs from 'node:fs';
import path from 'node:path';
import { executionFilters, queryOf } from '../../facade/executions/listing';
import { inChainOrder } from '../../history';
import { UsageError } from '../errors';
import { milliseconds } from './number';

/** More files of one folder than this are executions of one Temporal run each. */
const MAX_CHAIN = 50;

/**
 * The history files of each execution: a named file is one; so is a folder that contains the consecutive runs of one
 * execution; of any other folder, each file below.
 *
 * @throws UsageError if there is no such file, or a folder has none
 */
export async function historiesIn(names: readonly string[]): Promise<string[][]> {
  const found: string[][] = [];
  for (const name of names) {
    if (!fs.existsSync(name)) throw new UsageError(`${name}: there is no such file`);
    if (!fs.statSync(name).isDirectory()) found.push([name]);
    else {
      const before = found.length;
      for await (const files of below(name)) found.push(files);
      if (found.length === before) throw new UsageError(`${name}: this folder contains no *.json`);
    }
  }
  return found;
}

async function* below(folder: string): AsyncGenerator<string[]> {
  const entries = fs
    .readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => a.name.localeCompare(b.name));
  const files = entries.flatMap((one) =>
    one.isFile() && one.name.endsWith('.json') ? [path.join(folder, one.name)] : [],
  );
  const chain = await chainOf(files);
  if (chain) yield chain;
  else for (const file of files) yield [file];
  for (const one of entries) if (one.isDirectory()) yield* below(path.join(folder, one.name));
}

async function chainOf(files: readonly string[]): Promise<string[] | undefined> {
  if (files.length < 2 || files.length > MAX_CHAIN) return undefined;
  try {
    return await inChainOrder(files);
  } catch {
    return undefined;
  }
}

/** Filters of `GET /api/executions`, and times before now. */
const AGO: Readonly<Record<string, string>> = { since: 'started_after', until: 'started_before' };

/**
 * `path=etl/* status=failed since=30d` in Temporal's list-filter language.
 *
 * @throws UsageError for an unknown filter or a wrong value
 */
export function queryFrom(text: string, now: number = Date.now()): string {
  const known = Object.keys(executionFilters.shape).filter(
    (name) => !['page_size', 'cursor', 'parent_execution_id'].includes(name),
  );
  const filters: Record<string, string> = {};
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const [, name = '', value = ''] = /^(\w+)=(.+)$/.exec(word) ?? [];
    const ago = AGO[name];
    if (ago !== undefined) filters[ago] = new Date(now - milliseconds(value, name)).toISOString();
    else if (known.includes(name)) filters[name] = value;
    else
      throw new UsageError(
        `--against ${word}: expected NAME=VALUE with one of ${[...Object.keys(AGO), ...known].join(', ')}`,
      );
  }
  const parsed = executionFilters.safeParse(filters);
  if (parsed.success) return queryOf(parsed.data);
  const [issue] = parsed.error.issues;
  throw new UsageError(`--against: ${issue?.path.join('.')}: ${issue?.message}`);
}
