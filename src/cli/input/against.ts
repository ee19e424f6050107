/** The past executions that a version is verified against: history files, folders of them, or a query. */
import fs from 'node:fs';
import path from 'node:path';
import { whereOf } from '../../server/bulk/where';
import { CodedError } from '../../language/errors';
import { historyFile, inChainOrder } from '../../history';
import { WORKFLOW_TYPE, workflowTypeOf } from '../../language/plan';
import { executionQuery } from '../../temporal/client';
import { UsageError } from '../errors';

/** More files of one folder than this are executions of one Temporal run each. */
const MAX_CHAIN = 50;

/**
 * The history files of each execution: a named file is one; so is a folder that contains the consecutive runs of one
 * execution; of any other folder, each file below.
 *
 * @param of the path of the playbook whose executions are wanted; all by default
 * @throws UsageError if there is no such file, or a folder has none
 */
export async function historiesIn(names: readonly string[], of?: string): Promise<string[][]> {
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
  if (of === undefined) return histories;
  const own: string[][] = [];
  for (const files of histories) if (await mayBeOf(files, of)) own.push(files);
  return own;
}

/** The workflow type of an execution is the path of its playbook. What cannot be read is for the caller to report. */
async function mayBeOf([file]: readonly string[], path: string): Promise<boolean> {
  if (file === undefined) return false;
  try {
    for await (const [first] of historyFile(file)) {
      const type = first?.workflowExecutionStartedEventAttributes?.workflowType?.name;
      return type === workflowTypeOf(path) || type === WORKFLOW_TYPE;
    }
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
  }
  return true;
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
  const { filter, codes, steps, tables } = whereOf(text, now);
  if (codes.length + steps.length + Object.keys(tables).length > 0)
    throw new UsageError(
      '--against: filter by path, name, label, version, status, since and until, not by code, step, text or input',
    );
  return executionQuery(filter);
}
