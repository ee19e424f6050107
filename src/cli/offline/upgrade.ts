import fs from 'node:fs';
import { type UpgradeNote, upgrade } from '../../language/dsl/upgrade';
import { UsageError } from '../errors';
import { compileFile } from '../input/playbook';
import { print } from '../output/say';
import { shownDiff } from '../output/shown-diff';

/** `upgrade FILE`: rewrites a playbook of an earlier generation in the current syntax. */
export async function upgradeFile(file: string, flags: { write?: boolean }): Promise<void> {
  const { text, diagnostics } = compileFile(file);
  const broken = diagnostics.find((each) => each.severity === 'error' && each.code.startsWith('NT1'));
  if (broken !== undefined) {
    throw new UsageError(`${file}:${broken.line}:${broken.column}: ${broken.message} [${broken.code}]`);
  }
  const upgraded = upgrade(text);
  if (flags.write !== true) {
    const diff = shownDiff(file, text, upgraded.text);
    if (diff !== '') await print(diff);
  } else if (upgraded.text !== text) fs.writeFileSync(file, upgraded.text);
  process.stderr.write(summary(file, upgraded.rewrites, upgraded.notes, flags.write === true));
}

/** The changes, and what remains to be done by hand: `file:line:column: message`, as editors and scripts expect. */
function summary(file: string, rewrites: number, notes: readonly UpgradeNote[], wrote: boolean): string {
  const many = `${rewrites} change${rewrites === 1 ? '' : 's'}`;
  const done =
    rewrites === 0
      ? 'nothing to rewrite'
      : wrote
        ? `${many} written`
        : `${many}; --write writes ${rewrites === 1 ? 'it' : 'them'}`;
  const left = notes.map(({ line, column, message, hint, why }) => {
    const todo = hint === undefined ? '' : `: ${hint}`;
    const reason = why === undefined ? '' : ` (${why})`;
    return `${file}:${line}:${column}: ${message}${reason}${todo}\n`;
  });
  const heading = left.length === 0 ? [] : ['left to do by hand (locations in the rewritten file):\n'];
  return [`${file}: ${done}\n`, ...heading, ...left].join('');
}
