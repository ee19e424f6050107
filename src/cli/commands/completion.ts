import { Argument, Command } from 'commander';
import { completionScript, SHELLS, type Shell } from '../completion/script';
import { print } from '../output/say';

/** `completion SHELL`: a script that completes commands, options and their choices, generated from the commands. */
export function completionCommand(): Command {
  const command = new Command('completion')
    .description('print a script that completes commands and options in your shell')
    .addArgument(new Argument('<shell>', 'which one').choices(SHELLS));
  return command.action(async (shell: Shell) => {
    let root: Command = command;
    while (root.parent) root = root.parent;
    await print(completionScript(root, shell));
  });
}
