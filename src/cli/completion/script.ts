/** Completion scripts: the command tree in the syntax of each shell. */
import { type Command } from 'commander';
import { bash } from './bash';
import { fish } from './fish';
import { type CompletedCommand, treeOf } from './tree';
import { zsh } from './zsh';

const WRITERS = { bash, zsh, fish } as const satisfies Record<
  string,
  (name: string, tree: readonly CompletedCommand[]) => string
>;

export type Shell = keyof typeof WRITERS;
export const SHELLS = Object.keys(WRITERS) as Shell[];

export function completionScript(root: Command, shell: Shell): string {
  return WRITERS[shell](root.name(), treeOf(root));
}
