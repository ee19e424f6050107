/** The command tree as data for completion. */
import { type Command } from 'commander';

export interface CompletedOption {
  /** `-p`, `--payload` */
  readonly flags: readonly string[];
  readonly description: string;
  /** Whether it takes a value. */
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

export interface CompletedCommand {
  /** Words after the program name; empty for the program itself. */
  readonly words: readonly string[];
  readonly description: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly CompletedOption[];
  /** Choices of its first argument. */
  readonly choices: readonly string[];
  /** Whether it accepts files as arguments. */
  readonly takesFiles: boolean;
}

const HELP: CompletedOption = {
  flags: ['-h', '--help'],
  description: 'display help for command',
  takesValue: false,
  choices: [],
};

/** All commands of the tree, the program first. */
export function treeOf(command: Command, words: readonly string[] = []): CompletedCommand[] {
  const [first] = command.registeredArguments;
  const own: CompletedCommand = {
    words,
    description: oneLine(command.description()),
    commands: command.commands.map((one) => ({ name: one.name(), description: oneLine(one.description()) })),
    options: [
      ...command.options.map((option) => ({
        flags: [option.short, option.long].filter((flag) => flag !== undefined && flag !== null),
        description: oneLine(option.description),
        takesValue: option.required || option.optional,
        choices: option.argChoices ?? [],
      })),
      HELP,
    ],
    choices: first?.argChoices ?? [],
    takesFiles: first !== undefined && first.argChoices === undefined,
  };
  return [own, ...command.commands.flatMap((one) => treeOf(one, [...words, one.name()]))];
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
