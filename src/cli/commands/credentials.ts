import fs from 'node:fs';
import { Command } from 'commander';
import { extensions } from '../extensions';
import { type Json } from '../../language/plan';
import { type CredentialTested } from '../../server/facade/documents';
import { parseJson } from '../../language/plan/json-text';
import { EXIT, UsageError } from '../errors';
import { wholeNumber } from '../input/number';
import { databaseCommand, type DatabaseFlags, jsonOption, serverOption } from '../input/options';
import { printable } from '../output/paint';
import { print, printAnswer } from '../output/say';
import { textTable } from '../output/table';

interface Adding extends DatabaseFlags {
  file?: string;
  type?: string;
  values?: string;
  description?: string;
  paths?: string;
}

/** `credentials …`: credentials that playbooks name in `auth`. Works on the database, without a facade. */
export function credentialsCommand(): Command {
  return new Command('credentials')
    .description('manage stored credentials, encrypted with NOETL_SECRETS_KEY or the key of the data folder')
    .addCommand(add())
    .addCommand(list())
    .addCommand(get())
    .addCommand(remove())
    .addCommand(tried())
    .addCommand(audit())
    .addCommand(rotate());
}

function add(): Command {
  return databaseCommand('add', 'store a credential, replacing one with the same name')
    .argument('[name]', 'its name in playbooks (default: the name in the file)')
    .option('-f, --file <file>', 'JSON {name, type, data, description?, tags?}; - for standard input')
    .option('--type <type>', 'postgres, bearer, basic, api_key, oauth2, snowflake, … (without --file)')
    .option(
      '--values <json>',
      'its data: @FILE, or - for standard input; inline JSON stays in your shell’s history',
    )
    .option('--description <text>', 'description for people (without --file)')
    .option(
      '--paths <list>',
      'only executions of these playbooks may open it, e.g. team/*,jobs/nightly; * for all (default: as before)',
    )
    .action(async (name: string | undefined, flags: Adding) => {
      const { addCredential } = await import('../runtime/credentials.js');
      const given = flags.file === undefined ? fromOptions(flags) : fromFile(flags);
      const { info, note } = await addCredential(flags, {
        ...given,
        ...(name !== undefined && { name }),
        ...(flags.paths !== undefined && { paths: pathsOf(flags.paths) }),
      });
      if (note !== undefined) process.stderr.write(`${printable(note)}\n`);
      await printAnswer(flags.json, info, `stored "${info.name}" (${info.type}) under the key ${info.kid}`);
    });
}

function pathsOf(text: string): string[] {
  const paths = text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
  if (paths.length === 0)
    throw new UsageError('--paths: expected paths of playbooks, separated by commas; * for all');
  return paths.includes('*') ? [] : paths;
}

function fromFile({ file = '', type, values }: Adding): { document: Json; from: string } {
  if (type !== undefined || values !== undefined)
    throw new UsageError('--file cannot be combined with --type and --values');
  return { document: jsonOf(textOf(file), `--file ${file}`), from: file };
}

function fromOptions({ type, values, description }: Adding): { document: Json; from: string } {
  if (type === undefined || values === undefined)
    throw new UsageError('nothing to store: use --file FILE, or a name with --type TYPE --values @FILE');
  const text = values === '-' ? textOf('-') : values.startsWith('@') ? textOf(values.slice(1)) : values;
  const data = jsonOf(text, '--values');
  return { document: { type, data, ...(description !== undefined && { description }) }, from: '--values' };
}

function textOf(file: string): string {
  try {
    return fs.readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function jsonOf(text: string, from: string): Json {
  try {
    return parseJson(text);
  } catch {
    // The parser's own message quotes the text, which is the secret.
    throw new UsageError(`${from}: it is not valid JSON`);
  }
}

function list(): Command {
  return databaseCommand('list', 'list credentials, without their data')
    .option('--type <type>', 'only credentials of this type, in any spelling')
    .option('--search <text>', 'only credentials with this text in name, description or tags')
    .action(async (flags: DatabaseFlags & { type?: string; search?: string }) => {
      const [{ inCredentials }, { spellingsOf }] = await Promise.all([
        import('../runtime/credentials.js'),
        import('../../server/facade/credentials/types.js'),
      ]);
      const filter = {
        ...(flags.type && { types: spellingsOf(flags.type, extensions().kinds) }),
        ...(flags.search && { q: flags.search }),
      };
      const all = await inCredentials(flags, (credentials) => credentials.list(filter));
      const credentials = all.map(({ last_used_at: _, ...one }) => one);
      if (flags.json) return await print(JSON.stringify({ credentials }, null, 2));
      if (all.length === 0)
        return void process.stderr.write('no credentials (noetl-temporal credentials add)\n');
      const rows = all.map((one) => [
        one.name,
        one.type,
        one.kid,
        one.updated_at.toISOString().slice(0, 16),
        one.paths?.join(',') ?? '*',
        one.description ?? '',
      ]);
      await print(textTable([['name', 'type', 'key', 'updated', 'playbooks', 'description'], ...rows]));
    });
}

function get(): Command {
  return databaseCommand('get', 'one credential')
    .argument('<name>', 'its name or its id')
    .option('--show', 'also print its data in plain text; the audit log records the read')
    .action(async (name: string, flags: DatabaseFlags & { show?: boolean }) => {
      const { inCredentials } = await import('../runtime/credentials.js');
      const { THIS_PROCESS } = await import('../runtime/stored-credentials.js');
      const credential = await inCredentials(flags, async (credentials) => {
        if (!flags.show) return credentials.info(name);
        return credentials.read(name, THIS_PROCESS);
      });
      if (!credential) throw notStored(name);
      await print(JSON.stringify(credential, null, 2));
    });
}

function remove(): Command {
  return databaseCommand('remove', 'delete a credential; its audit log remains')
    .argument('<name>', 'its name or its id')
    .action(async (name: string, flags: DatabaseFlags) => {
      const { inCredentials } = await import('../runtime/credentials.js');
      const { THIS_PROCESS } = await import('../runtime/stored-credentials.js');
      const credential = await inCredentials(flags, (credentials) => credentials.remove(name, THIS_PROCESS));
      if (!credential) throw notStored(name);
      await printAnswer(flags.json, credential, `removed "${credential.name}"`);
    });
}

function tried(): Command {
  return new Command('test')
    .description('connect with a credential, on a worker of its kind')
    .argument('<name>', 'its name or its id')
    .option('--url <url>', 'what is asked, for credentials that name no server')
    .addOption(jsonOption())
    .addOption(serverOption())
    .action(async (name: string, flags: { url?: string; json?: boolean; server?: string }) => {
      const { askAt, facadeNamed, USUAL_FACADE } = await import('../runtime/port/index.js');
      const path = `/api/credentials/${encodeURIComponent(name)}/test`;
      const asking = { method: 'POST', body: { url: flags.url } } as const;
      const tested = await askAt<CredentialTested>({}, path, asking, facadeNamed(flags) ?? USUAL_FACADE);
      const { ok, execution_id, code, message } = tested;
      const failure = `"${name}" does not connect: ${message} [${code}], execution ${execution_id}`;
      await printAnswer(flags.json, tested, ok ? `"${name}" connects` : failure);
      if (!ok) process.exitCode = EXIT.failed;
    });
}

function audit(): Command {
  return databaseCommand('audit', 'list who read, wrote or deleted credentials, newest first')
    .argument('[name]', 'only entries about this credential')
    .option('--execution <id>', 'only reads by this execution')
    .option('--limit <n>', 'maximum number of entries', '100')
    .action(
      async (name: string | undefined, flags: DatabaseFlags & { execution?: string; limit: string }) => {
        const limit = wholeNumber(flags.limit, '--limit', 1);
        const executionId = flags.execution?.replace(/^noetl-/, '');
        if (executionId !== undefined && !/^\d{1,18}$|^[1-8]\d{18}$/.test(executionId))
          throw new UsageError(`--execution ${flags.execution}: an execution id is a decimal number`);
        const { inCredentials } = await import('../runtime/credentials.js');
        const filter = {
          limit,
          ...(name !== undefined && { name }),
          ...(executionId !== undefined && { executionId }),
        };
        const entries = await inCredentials(flags, (credentials) => credentials.audit(filter));
        if (flags.json) return await print(JSON.stringify({ audit: entries }, null, 2));
        if (entries.length === 0) return void process.stderr.write('the audit log is empty\n');
        const rows = entries.map((one) => [
          one.at.toISOString().slice(0, 19),
          one.action,
          one.credential_name,
          one.principal,
          one.remote ?? '',
          one.execution_id ?? '',
        ]);
        await print(textTable([['when', 'what', 'credential', 'who', 'from', 'execution'], ...rows]));
      },
    );
}

function rotate(): Command {
  return databaseCommand(
    'rotate',
    're-encrypt everything with the first key; facades can keep serving, and an interrupted run is resumed',
  ).action(async (flags: DatabaseFlags) => {
    const { rotate: run } = await import('../runtime/credentials.js');
    const { kid, credentials, dropped, failed, left } = await run(flags, (done) => {
      if (process.stderr.isTTY) process.stderr.write(`\r${done} …`);
    });
    for (const one of failed)
      process.stderr.write(
        `"${printable(one.name)}" is left as it is: ${printable(one.message)} [${one.code}]\n`,
      );
    const more =
      left > failed.length
        ? `; ${left - failed.length} were written with another key in the meantime; run the command again`
        : '';
    await printAnswer(
      flags.json,
      { kid, credentials, dropped, failed, left },
      `${credentials} credential(s) are encrypted with the key ${kid} now${more}`,
    );
    if (left > 0) process.exitCode = EXIT.failed;
  });
}

function notStored(name: string): UsageError {
  return new UsageError(`no credential is called ${name} (noetl-temporal credentials list)`);
}
