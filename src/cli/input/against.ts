/** The past executions that a version is verified against: history files, folders of them, or a query. */
import fs from 'node:fs';
import path from 'node:path';
import { whereOf } from '../../server/bulk/where';
import { inChainOrder } from '../../history';
import { executionQuery } from '../../temporal/client';
import { UsageError } from '../errors';

/** More files of one folder than this are executions of one Temporal run each. */
const MAX_CHAIN = 50;

/**
 * The history files of each execution: a named file is one; so is a folder that contains the consecutive runs of one
 * execution; of any other folder, each file below.
 *
 * @throws UsageError if there is no such file, or a folder has none
 */
export async function historiesIn(names: readonly string[]): Promise<string[][]> {
  const histories: string[][] = [];
  for (const name of names) {
    if (!fs.existsSync(name)) throw new UsageError(`${name}: there is no such file`);
    if (!fs.statSync(name).isDirectory()) histories.push([name]);
    else {
      const before = histories.length;
      for await (const files of below(name)) histories.push(files);
      if (histories.length === before) throw new UsageError(`${name}: this folder contains no *.json`);
    }
  }
  return histories;
}

async function* below(folder: string): AsyncGenerator<string[]> {
  const entries = fs
    .readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => a.name.localeCompare(b.name, 'en'));
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

/**
 * `path=etl/* status=failed since=30d`, as bulk operations write it, in Temporal's list-filter language.
 *
 * @throws CodedError `WHERE_INVALID`; UsageError for a term that only the end of each execution could answer
 */
export function queryFrom(text: string, now: number = Date.now()): string {
  const { filter, codes, steps } = whereOf(text, now);
  if (codes.length + steps.length > 0)
    throw new UsageError('--against: filter by path, version, status, since and until, not by code or step');
  return executionQuery(filter);
}
