/** The lines of the executed playbook, if available. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { type SourceLines } from '../../../history';
import { type Plan } from '../../../language/plan';

/** Of the playbook's file, if it exists and is unchanged since the run. */
export function linesOfFile({ source }: Plan): SourceLines {
  return linesOfText(textOfFile(source.file, source.sha256));
}

export function linesOfText(text: string | undefined): SourceLines {
  const lines = text?.split(/\r?\n/);
  return (line) => lines?.[line - 1];
}

/** The text of the playbook's file, if it exists and is unchanged since the run. */
export function textOfFile(file: string | undefined, sha256: string): string | undefined {
  if (file === undefined || !fs.existsSync(file)) return undefined;
  const text = fs.readFileSync(file, 'utf8');
  if (createHash('sha256').update(text).digest('hex') === sha256) return text;
  process.stderr.write(`${file} has changed since this run: its lines are not shown\n`);
  return undefined;
}
