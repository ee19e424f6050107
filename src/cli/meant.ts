/** What somebody meant who typed a command that there is not: commands of other tools, and a noun as an option. */
import { type CommanderError } from 'commander';

/** By what is typed, below any command. */
const ALIASES: Readonly<Record<string, string>> = {
  abort: 'cancel',
  apply: 'register',
  deploy: 'register',
  describe: 'status',
  exec: 'run',
  execute: 'run',
  executions: 'list executions',
  get: 'status',
  history: 'events',
  inspect: 'status',
  kill: 'cancel',
  lint: 'validate',
  log: 'logs',
  ls: 'list',
  playbooks: 'list playbooks',
  ps: 'list executions',
  publish: 'register',
  push: 'register',
  restart: 'rerun',
  retry: 'rerun',
  runs: 'list executions',
  secrets: 'credentials',
  server: 'serve',
  show: 'status',
  signal: 'event',
  start: 'run',
  stop: 'cancel',
  submit: 'run',
  tail: 'logs',
  terminate: 'cancel',
  trigger: 'run',
  up: 'dev',
  workers: 'worker',
};

/** Below a command that has one of them. */
const ALIASES_BELOW: Readonly<Record<string, readonly string[]>> = {
  create: ['add', 'create'],
  edit: ['change', 'add'],
  ls: ['list'],
  remove: ['delete', 'remove'],
  rm: ['delete', 'remove'],
  run: ['trigger'],
  set: ['add', 'change'],
  show: ['describe', 'get', 'list'],
  start: ['trigger', 'unpause'],
  stop: ['pause'],
  update: ['change', 'add'],
};

/**
 * @param args as they were given
 * @param below the names of the commands below the one that the first words name; none for the program itself
 * @returns the error's message, with a better suggestion if there is one
 */
export function meantMessage(
  { message, code }: Pick<CommanderError, 'message' | 'code'>,
  args: readonly string[],
  below: readonly string[] = [],
): string {
  const text = message.split('\n').join(' ');
  const plain = text.replace(/ \(Did you mean .*\)$/, '');
  const [, typed] = /^error: unknown (?:command|option) '-*([\w-]+)'/.exec(text) ?? [];
  if (typed === undefined) return text;
  if (code === 'commander.unknownOption') {
    // `list --executions`
    const isNoun = args[0] === 'list' && ['executions', 'playbooks', 'limits'].includes(typed);
    return isNoun ? `${plain} (Did you mean list ${typed}?)` : text;
  }
  const alias =
    below.length === 0 ? ALIASES[typed] : (ALIASES_BELOW[typed] ?? []).find((one) => below.includes(one));
  return alias === undefined ? text : `${plain} (Did you mean ${alias}?)`;
}
