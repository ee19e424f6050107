/** What of this tree users rely on by name, beside REST and types: what docs/compatibility.md promises, as data. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { type Command } from 'commander';
import { EXIT } from '../../src/cli/errors';
import { program } from '../../src/cli/program';
import { ENGINE_VERSIONS } from '../../src/engine/machine/batch/versions';
import { KIND_TABLE } from '../../src/language/kinds/table';
import { SEARCH_ATTRIBUTES } from '../../src/language/plan/names';
import * as messages from '../../src/temporal/contract/definitions';
import { type ToolKind } from '../../src/language/kinds/declaration';
import { declaredMetrics } from './declared-metrics';
import { ROOT } from './process';

const read = (file: string): string => fs.readFileSync(path.join(ROOT, file), 'utf8');

/** Under its name each, so that a list is compared by what is in it. */
function named(names: Iterable<string>): Record<string, true> {
  return Object.fromEntries([...new Set(names)].sort().map((name) => [name, true]));
}

function filesBelow(folder: string, is: RegExp): string[] {
  return fs
    .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => is.test(name))
    .map((name) => path.join(folder, name));
}

function commandsOf(command: Command, before = ''): [string, object][] {
  return command.commands.flatMap((one) => {
    const name = `${before} ${one.name()}`.trim();
    const takes = one.registeredArguments.map((each) =>
      [each.name(), each.required ? '!' : '?', each.variadic ? '…' : ''].join(''),
    );
    const options = one.options.map(({ flags }) => flags);
    return [[name, { arguments: takes.join(' '), options: named(options) }], ...commandsOf(one, name)];
  });
}

function kindOf({ fields, required }: ToolKind): object {
  const always = new Set(required.filter((group) => group.length === 1).flat());
  return Object.fromEntries(
    Object.keys(fields).map((name) => [name, always.has(name) ? 'required' : 'optional']),
  );
}

function eventTypes(profile: string): string[] {
  const { properties } = JSON.parse(read(`docs/reference/events/${profile}.schema.json`)) as {
    properties: Record<string, { enum?: string[] }>;
  };
  return (properties['event_type'] ?? properties['type'])?.enum ?? [];
}

/** Messages of workflows: signals, updates and queries. */
function messageNames(): string[] {
  return Object.values(messages).flatMap((one: unknown) =>
    typeof one === 'object' && one !== null && 'type' in one && 'name' in one
      ? [`${String(one.type)} ${String(one.name)}`]
      : [],
  );
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

export function surfaceOf(): Record<string, object> {
  const pages = /const PAGES[^]*?^};/m.exec(read('console/shell/app.tsx'))?.[0] ?? '';
  const headings = (page: string, is: RegExp): string[] =>
    [...read(page).matchAll(is)].map(([, code]) => code!);
  const migrations = filesBelow('src/server/store/migrations', /\.sql$/);
  return {
    commands: Object.fromEntries(commandsOf(program())),
    'exit codes': EXIT,
    'variables of the environment': named(
      headings('docs/reference/environment.md', /`((?:NOETL|TEMPORAL)_[A-Z_]*[A-Z])`/g),
    ),
    'error codes': named(headings('docs/reference/errors.md', /^### ([A-Z][A-Z0-9_]+)/gm)),
    diagnostics: named(headings('docs/reference/diagnostics.md', /^### (NT\d{4}) /gm)),
    kinds: Object.fromEntries(Object.entries(KIND_TABLE).map(([name, kind]) => [name, kindOf(kind)])),
    events: Object.fromEntries(
      ['canonical', 'extended', 'formal', 'noetl'].map((profile) => [profile, named(eventTypes(profile))]),
    ),
    'pages of the console': named([...pages.matchAll(/^ {2}(\w+): /gm)].map(([, page]) => page!)),
    'search attributes': named(Object.values(SEARCH_ATTRIBUTES)),
    'messages of workflows': named(messageNames()),
    metrics: declaredMetrics(),
    'engine versions': Object.fromEntries(
      ENGINE_VERSIONS.map(({ version, costs, prices }) => [version, { costs, prices }]),
    ),
    migrations: Object.fromEntries(
      migrations.sort().map((file) => [path.basename(file), digest(read(file))]),
    ),
  };
}

/** What is missing or other than it was; further names are none of it, except fields that a kind then requires. */
export function surfaceBreaks(was: unknown, is: unknown, at = ''): string[] {
  if (typeof was !== 'object' || was === null)
    return was === is ? [] : [`${at} was ${JSON.stringify(was)} and is ${JSON.stringify(is) ?? 'gone'}`];
  if (typeof is !== 'object' || is === null) return [`${at} is gone`];
  const now = new Map(Object.entries(is));
  const demanded = [...now].filter(([name, value]) => value === 'required' && !Object.hasOwn(was, name));
  return [
    ...Object.entries(was).flatMap(([name, value]) => {
      const place = `${at} › ${name}`.replace(/^ › /, '');
      return now.has(name) ? surfaceBreaks(value, now.get(name), place) : [`${place} is gone`];
    }),
    ...demanded.map(([name]) => `${at} › ${name} is required now`),
  ];
}
