import { Argument, Command, Option } from 'commander';
import { type TokenInfo, type TokenLimits, type Tokens } from '../../server/store';
import { UsageError } from '../errors';
import { milliseconds } from '../input/number';
import { databaseCommand, type DatabaseFlags } from '../input/options';
import { printable } from '../output/paint';
import { print, printAnswer } from '../output/say';
import { textTable } from '../output/table';

interface Making extends DatabaseFlags {
  scopes: string;
  expires?: string;
  fromEnv?: string;
  credentials?: string;
  kinds?: string;
  pools?: string;
  paths?: string;
  granted?: boolean;
}

const SCOPES = ['read', 'run', 'worker', 'admin'];

/** `tokens create|list|revoke`: tokens for the REST API. Works on the database, without a facade. */
export function tokensCommand(): Command {
  return new Command('tokens')
    .description('create, list and revoke bearer tokens of the REST API, directly in the database')
    .addCommand(create())
    .addCommand(list())
    .addCommand(revoke());
}

function create(): Command {
  return databaseCommand('create', 'create a token; it is printed once and cannot be shown again')
    .argument('<name>', 'name of the token in lists and logs, e.g. who uses it')
    .option(
      '--scopes <list>',
      'permissions, separated by commas: read, run (start and control; includes read), worker (fetch credentials), admin (everything)',
      'run',
    )
    .option(
      '--credentials <list>',
      'limit a token of scope worker to credentials with these names, e.g. pg_*,github (default: all)',
    )
    .option(
      '--kinds <list>',
      'limit it to credentials of these kinds, e.g. http,postgres; types that belong to no single kind (oauth2, …) are limited by name only',
    )
    .option(
      '--pools <list>',
      'limit it to credentials for tasks of these pools of workers, e.g. eu; `default` is the pool without a name',
    )
    .option('--paths <list>', 'limit it to credentials for executions of these playbooks, e.g. team/*')
    .option(
      '--granted',
      'it has no credentials of its own, and opens only what a running task names: for workers of code',
    )
    .option('--expires <time>', 'expire the token after this time: 12h, 90d (default: never)')
    .addOption(
      new Option(
        '--from-env <variable>',
        'register the token in this variable, created elsewhere, instead of creating one; repeating the command changes nothing',
      ),
    )
    .action(async (name: string, flags: Making) => {
      const scopes = scopesOf(flags.scopes);
      const limits = await limitsOf(flags, scopes);
      const expiresInMs = flags.expires === undefined ? undefined : milliseconds(flags.expires, '--expires');
      const given = flags.fromEnv === undefined ? undefined : fromVariable(flags.fromEnv);
      const [token, info] = await inTokens(flags, (tokens) =>
        tokens.create({ name, scopes, limits, expiresInMs, token: given }),
      );
      if (given !== undefined)
        return await printAnswer(flags.json, info, `token "${name}" is registered: ${rightsOf(info)}`);
      if (flags.json) return await print(JSON.stringify({ ...info, token }, null, 2));
      process.stderr.write(`token "${printable(name)}" (${rightsOf(info)}); it is not shown again:\n`);
      await print(token);
    });
}

function list(): Command {
  return databaseCommand('list', 'list tokens, without their secrets').action(
    async (flags: DatabaseFlags) => {
      const all = await inTokens(flags, (tokens) => tokens.list());
      if (flags.json) return await print(JSON.stringify({ tokens: all }, null, 2));
      if (all.length === 0)
        return void process.stderr.write('no tokens (noetl-temporal tokens create NAME)\n');
      const rows = all.map((one) => [
        one.id,
        one.name,
        rightsOf(one),
        stateOf(one),
        one.last_used_at?.toISOString().slice(0, 16) ?? 'never used',
      ]);
      await print(textTable([['id', 'name', 'rights', 'state', 'last used'], ...rows]));
    },
  );
}

function revoke(): Command {
  return databaseCommand('revoke', 'revoke a token, effective immediately')
    .addArgument(new Argument('<token>', 'its name or its id'))
    .action(async (which: string, flags: DatabaseFlags) => {
      const info = await inTokens(flags, (tokens) => tokens.revoke(which));
      if (!info) throw new UsageError(`there is no active token ${which} (noetl-temporal tokens list)`);
      await printAnswer(flags.json, info, `token "${info.name}" (${info.id}) is revoked`);
    });
}

async function inTokens<T>(where: DatabaseFlags, work: (tokens: Tokens) => Promise<T>): Promise<T> {
  const [{ withStore }, { Tokens }] = await Promise.all([
    import('../runtime/store.js'),
    import('../../server/store/index.js'),
  ]);
  return await withStore(where, (database) => work(new Tokens(database)));
}

function scopesOf(text: string): string[] {
  const scopes = wordsOf(text, '--scopes');
  const wrong = scopes.filter((one) => !SCOPES.includes(one));
  if (wrong.length > 0) throw new UsageError(`--scopes ${text}: expected some of ${SCOPES.join(', ')}`);
  return scopes;
}

const LISTS = ['credentials', 'kinds', 'pools', 'paths'] as const;
const LIMITS = [...LISTS, 'granted'] as const;

/** What a token is bound to. @throws UsageError where they would limit nothing */
async function limitsOf(flags: Making, scopes: readonly string[]): Promise<TokenLimits> {
  const given = LIMITS.filter((name) => flags[name] !== undefined);
  if (given.length === 0) return {};
  if (!scopes.includes('worker') || scopes.includes('admin'))
    throw new UsageError(
      `${given.map((name) => `--${name}`).join(', ')}: only tokens of scope worker are limited, not ${scopes.join(', ')}: add --scopes worker,read`,
    );
  const { LOCAL_KIND, TOOL_KINDS } = await import('../../language/plan/index.js');
  const { granted, ...lists } = flags;
  const listed: TokenLimits = {
    ...(granted && { granted }),
    ...Object.fromEntries(
      LISTS.flatMap((name) => {
        const text = lists[name];
        return text === undefined ? [] : [[name, wordsOf(text, `--${name}`)]];
      }),
    ),
  };
  // An extension, or a mistake, which lets the token read less than intended.
  const unknown =
    listed.kinds?.filter((kind) => !Object.hasOwn(TOOL_KINDS, kind) && kind !== LOCAL_KIND) ?? [];
  if (unknown.length > 0) process.stderr.write(`note: no built-in kind is called ${unknown.join(', ')}\n`);
  return listed;
}

function wordsOf(text: string, option: string): string[] {
  const words = [...new Set(text.split(',').map((one) => one.trim()))].filter((one) => one !== '');
  if (words.length > 0) return words;
  throw new UsageError(`${option}: expected a list, separated by commas`);
}

/** `worker,read; credentials pg_*; kinds http` */
function rightsOf(info: TokenInfo): string {
  const limits = LISTS.flatMap((name) => (info[name] ? [`${name} ${info[name].join(',')}`] : []));
  return [info.scopes.join(','), ...(info.granted ? ['granted'] : []), ...limits].join('; ');
}

function fromVariable(name: string): string {
  const token = process.env[name];
  if (!token) throw new UsageError(`--from-env ${name}: the variable is not set`);
  return token;
}

function stateOf({ revoked_at: revoked, expires_at: expires }: TokenInfo): string {
  if (revoked) return `revoked ${revoked.toISOString().slice(0, 16)}`;
  if (!expires) return 'valid';
  return `${expires.getTime() <= Date.now() ? 'expired' : 'valid until'} ${expires.toISOString().slice(0, 16)}`;
}
