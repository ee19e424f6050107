/** The lines of the executed playbook, if available. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { type SourceLines } from '../../../history';
import { type Plan } from '../../../language/plan';

/** Of the playbook's file, if it exists and is unchanged since the run. */
export function linesOfFile({ source }: Plan): SourceLines {
  if (source.file === undefined || !fs.existsSync(source.file)) return () => undefined;
  const text = fs.readFileSync(source.file, 'utf8');
  if (createHash('sha256').update(text).digest('hex') !== source.sha256) {
    process.stderr.write(`${source.file} has changed since this run: its lines are not shown\n`);
    return () => undefined;
  }
  const lines = text.split(/\r?\n/);
  return (line) => lines[line - 1];
}
