import { createInterface } from 'node:readline/promises';
import { UsageError } from '../../errors';

/**
 * Asks on the terminal.
 *
 * @throws UsageError if there is no terminal: scripts say `--yes`
 */
export async function confirmed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError(
      `${question} There is no terminal to answer on: add --yes to do it, or --dry-run to look only`,
    );
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
