import fs from 'node:fs';
import { Command, Option } from 'commander';
import { messageOf } from '../../language/errors';
import { TRIGGER_MOVES, TRIGGER_VERBS, type TriggerVerb } from '../../language/plan/triggers/moves';
import { type DeadLetterDocument, type SubscriptionDocument } from '../../server/facade/documents';
import { UsageError } from '../errors';
import { wholeNumber } from '../input/number';
import { jsonOption, serverOption } from '../input/options';
import { printAnswer } from '../output/say';
import { textTable } from '../output/table';
import { type RemoteFlags } from '../runtime/port';
import { type Asking } from '../runtime/port/ask';

/** A subcommand as what it asks of a facade, and what it says of the answer. */
interface TriggerCommand<Flags, Answer> {
  readonly description: string;
  /** Default: a subscription. */
  readonly arguments?: readonly (readonly [name: string, description: string])[];
  readonly options?: readonly Option[];
  /** @returns what follows the subscription in the address, and the request */
  readonly asks: (flags: Flags, ids: readonly string[]) => readonly [place: string, asking?: Asking];
  readonly says: (answer: Answer) => string;
}

const PATH = ['<path>', 'of the subscription, or its id'] as const;

function subcommand<Flags extends RemoteFlags, Answer>(
  name: string,
  { arguments: words = [PATH], options = [], ...what }: TriggerCommand<Flags, Answer>,
): Command {
  const command = new Command(name)
    .description(what.description)
    .addOption(jsonOption())
    .addOption(serverOption());
  for (const [word, description] of words) command.argument(word, description);
  for (const option of options) command.addOption(option);
  return command.action(async (...given: unknown[]) => {
    const flags = given[words.length] as Flags;
    const [path, ids = []] = given.slice(0, words.length) as [string?, string[]?];
    const [place, asking] = what.asks(flags, ids);
    const { askAt, facadeNamed, USUAL_FACADE } = await import('../runtime/port/index.js');
    const of = path === undefined ? '' : `/${encodeURIComponent(path)}`;
    const at = facadeNamed(flags) ?? USUAL_FACADE;
    const answer = await askAt<Answer>(flags, `/api/subscriptions${of}${place}`, asking, at);
    await printAnswer(flags.json, answer as object, what.says(answer));
  });
}

/** `trigger …`: subscriptions at work. */
export function triggerCommand(): Command {
  const command = new Command('trigger').description(
    'messages that start playbooks: subscriptions, and what became of their messages',
  );
  for (const one of [list, describe, test, ...TRIGGER_VERBS.map(moving), dead, ...LETTERS.map(lettersOf)])
    command.addCommand(one());
  return command;
}

const list = () =>
  subcommand('list', {
    description: 'list subscriptions: state, messages, what waits',
    arguments: [],
    asks: () => [''],
    says: ({ subscriptions }: { subscriptions: readonly SubscriptionDocument[] }) =>
      tableOr('there are no subscriptions', subscriptions, {
        PATH: (one) => one.path,
        SOURCE: (one) => one.source,
        STATE: (one) => one.state,
        STARTED: (one) => one.started,
        DEAD: (one) => one.dead_letters,
        WAITING: (one) => one.lag,
        'ADDRESS OR TROUBLE': (one) => one.trouble ?? one.address,
      }),
  });

const describe = () =>
  subcommand('describe', {
    description: 'show a subscription',
    asks: () => [''],
    says: (one: SubscriptionDocument) =>
      Object.entries(one)
        .map(([name, value]) => `${name.padEnd(16)} ${String(value ?? '-')}`)
        .join('\n'),
  });

const test = () =>
  subcommand('test', {
    description: 'show what a message would start, without starting anything',
    arguments: [['<path>', 'of a subscription in the catalog, or its id']],
    options: [
      new Option('--body <text>', 'the body; @file reads it from a file'),
      new Option('--id <id>', 'the id of the message'),
      new Option('--header <name: value>', 'a header; can be repeated')
        .default([])
        .argParser((one: string, all: string[]) => [...all, one]),
    ],
    asks: ({ body, id, header }: RemoteFlags & { body?: string; id?: string; header: string[] }) => {
      const headers = Object.fromEntries(header.map(headerOf));
      return [
        '/test',
        { method: 'POST', body: { body: body === undefined ? undefined : textOf(body), id, headers } },
      ];
    },
    says: (planned: object) => JSON.stringify(planned, null, 2),
  });

function headerOf(text: string): [string, string] {
  const [, name, value] = /^([^:\s]+)\s*:\s*(.*)$/.exec(text) ?? [];
  if (name === undefined) throw new UsageError(`--header ${text}: expected NAME: VALUE`);
  return [name, value!];
}

function textOf(given: string): string {
  if (!given.startsWith('@')) return given;
  try {
    return fs.readFileSync(given.slice(1), 'utf8');
  } catch (error) {
    throw new UsageError(`--body ${given}: cannot be read: ${messageOf(error)}`);
  }
}

const moving = (verb: TriggerVerb) => () =>
  subcommand(verb, {
    description: TRIGGER_MOVES[verb].doc,
    asks: () => [`/${verb}`, { method: 'POST' }],
    says: ({ path, state, address }: SubscriptionDocument) =>
      `${path} is ${state.toLowerCase()}${verb === 'activate' && address !== null ? `: POST ${address}` : ''}`,
  });

const dead = () =>
  subcommand('dead', {
    description: 'list messages that could not be started, and why',
    options: [new Option('--limit <n>', 'at most this many').default('100')],
    asks: ({ limit }: RemoteFlags & { limit: string }) => [`/dead?limit=${wholeNumber(limit, '--limit', 1)}`],
    says: ({ dead_letters: letters }: { dead_letters: readonly DeadLetterDocument[] }) =>
      tableOr('there are no dead letters', letters, {
        ID: (one) => one.dead_id,
        MESSAGE: (one) => one.message_id,
        FAILED: (one) => one.failed_at,
        WHY: (one) => `${one.code}: ${one.error}`,
      }),
  });

const LETTERS = [
  ['replay', 'start dead letters again; those that fail again stay'],
  ['drop', 'forget dead letters'],
] as const;

const lettersOf =
  ([verb, description]: (typeof LETTERS)[number]) =>
  () =>
    subcommand(verb, {
      description,
      arguments: [PATH, ['[id...]', 'of the dead letters']],
      options: [new Option('--all', 'all of them (replay: up to 1,000)')],
      asks: ({ all = false }: RemoteFlags & { all?: boolean }, ids) => {
        if (ids.length > 0 === all) throw new UsageError('name the dead letters, or all of them with --all');
        return [`/dead/${verb}`, { method: 'POST', body: all ? { all } : { ids } }];
      },
      says: (answer: object) =>
        Object.entries(answer)
          .map(([name, count]) => `${name}: ${Array.isArray(count) ? count.length : String(count)}`)
          .join(', '),
    });

function tableOr<Row>(
  none: string,
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => string | number | null>>,
): string {
  if (rows.length === 0) return none;
  const cells = rows.map((row) => Object.values(columns).map((cell) => String(cell(row) ?? '')));
  return textTable([Object.keys(columns), ...cells]);
}
