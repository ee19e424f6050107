/** `register`: registers playbooks and other resources from files in the catalog of a facade. */
import path from 'node:path';
import { type BatchResult } from '../../../server/facade/routes/catalog/register';
import { readText } from '../../input/playbook';
import { ask } from '../port/ask';
import { type FacadePort } from '../port';

export interface RegisterOutcome extends Omit<BatchResult, 'index'> {
  readonly file: string;
}

/** Maximum items and characters of one request. */
const MAX_ITEMS = 100;
const MAX_SIZE = 2_000_000;

/** Sends the files in as few requests as possible; each is registered or refused individually. */
export async function registerFiles(
  server: FacadePort,
  files: readonly string[],
  staged = false,
): Promise<RegisterOutcome[]> {
  const outcomes: RegisterOutcome[] = [];
  for (const batch of batches(files)) {
    const items = batch.map(({ content }) => ({
      content,
      resource_type: 'Playbook',
      ...(staged && { staged }),
    }));
    const answer = await ask<{ results: Omit<RegisterOutcome, 'file'>[] }>(
      server,
      '/api/catalog/register/batch',
      { method: 'POST', body: { items } },
    );
    outcomes.push(...answer.results.map((result, index) => ({ ...result, file: batch[index]!.file })));
  }
  return outcomes;
}

function batches(files: readonly string[]): { file: string; content: string }[][] {
  const groups: { file: string; content: string }[][] = [];
  let size = Infinity;
  for (const file of files) {
    const content = readText(file);
    if (size + content.length > MAX_SIZE || groups.at(-1)!.length === MAX_ITEMS) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1)!.push({ file: path.relative('', file) || file, content });
    size += content.length;
  }
  return groups;
}
