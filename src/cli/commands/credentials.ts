import fs from 'node:fs';
import { Command } from 'commander';
import { extensions } from '../extensions';
import { type Json } from '../../plan';
import { type AuditEntry, type CredentialInfo } from '../../store';
import { EXIT, UsageError } from '../errors';
import { databaseOption, dataOption, jsonOption } from '../input/options';
import { printable } from '../output/paint';
import { print, printAnswer } from '../output/say';
import { textTable } from '../output/table';

interface Where {
  json?: boolean;
  data?: string;
  database?: string;
}

interface Adding extends Where {
  file?: string;
  type?: string;
  values?: string;
  description?: string;
}

/** `credentials …`: what playbooks name in `auth`. Works on the database: no facade has to run. */
export function credentialsCommand(): Command {
  return new Command('credentials')
    .description('stored credentials, encrypted with NOETL_SECRETS_KEY or the key of the data folder')
    .addCommand(add())
    .addCommand(list())
    .addCommand(get())
    .addCommand(remove())
    .addCommand(audit())
    .addCommand(rotate());
}

function subcommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .addOption(jsonOption())
    .addOption(databaseOption())
    .addOption(dataOption())
    .exitOverride()
    .configureOutput({ outputError: () => undefined });
}

function add(): Command {
  return subcommand('add', 'store a credential; one of this name is replaced')
    .argument('[name]', 'what playbooks call it (default: the name in the file)')
    .option('-f, --file <file>', 'JSON {name, type, data, description?, tags?}; - for standard input')
    .option('--type <type>', 'postgres, bearer, basic, api_key, oauth2, snowflake, … (without --file)')
    .option(
      '--values <json>',
      'its data: @FILE or - for standard input; JSON here stays in your shell’s history',
    )
    .option('--description <text>', 'for people (without --file)')
    .action(async (name: string | undefined, flags: Adding) => {
      const { addCredential } = await import('../runtime/credentials.js');
      const given = flags.file === undefined ? fromOptions(flags) : fromFile(flags);
      const { info, note } = await addCredential(flags, { ...given, ...(name !== undefined && { name }) });
      if (note !== undefined) process.stderr.write(`${printable(note)}\n`);
      await printAnswer(
        flags.json,
        documentOf(info),
        `stored "${info.name}" (${info.type}) under the key ${info.kid}`,
      );
    });
}

function fromFile({ file = '', type, values }: Adding): { document: Json; from: string } {
  if (type !== undefined || values !== undefined)
    throw new UsageError('--file says it all: leave --type and --values out');
  return { document: jsonOf(textOf(file), `--file ${file}`), from: file };
}

function fromOptions({ type, values, description }: Adding): { document: Json; from: string } {
  if (type === undefined || values === undefined)
    throw new UsageError('what shall be stored? --file FILE, or a name with --type TYPE --values @FILE');
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
    return JSON.parse(text) as Json;
  } catch {
    // The parser's own message quotes the text, which is the secret.
    throw new UsageError(`${from}: it is not valid JSON`);
  }
}

function list(): Command {
  return subcommand('list', 'all credentials, without their data')
    .option('--type <type>', 'of this type, however it is spelt')
    .option('--search <text>', 'with this in name, description or tags')
    .action(async (flags: Where & { type?: string; search?: string }) => {
      const [{ inCredentials }, { spellingsOf }] = await Promise.all([
        import('../runtime/credentials.js'),
        import('../../facade/credentials/types.js'),
      ]);
      const filter = {
        ...(flags.type && { types: spellingsOf(flags.type, extensions().kinds) }),
        ...(flags.search && { q: flags.search }),
      };
      const all = await inCredentials(flags, (credentials) => credentials.list(filter));
      if (flags.json) return await print(JSON.stringify({ credentials: all.map(documentOf) }, null, 2));
      if (all.length === 0)
        return void process.stderr.write('no credentials (noetl-temporal credentials add)\n');
      const rows = all.map((one) => [
        one.name,
        one.type,
        one.kid,
        one.updatedAt.toISOString().slice(0, 16),
        one.description ?? '',
      ]);
      await print(textTable([['name', 'type', 'key', 'updated', 'description'], ...rows]));
    });
}

function get(): Command {
  return subcommand('get', 'one credential')
    .argument('<name>', 'its name or its id')
    .option('--show', 'its data too, in the clear; that you read it is on record')
    .action(async (name: string, flags: Where & { show?: boolean }) => {
      const { inCredentials } = await import('../runtime/credentials.js');
      const { THIS_PROCESS } = await import('../runtime/stored-credentials.js');
      const found = await inCredentials(flags, async (credentials) => {
        if (!flags.show) return credentials.info(name);
        return credentials.read(name, THIS_PROCESS);
      });
      if (!found) throw notStored(name);
      await print(
        JSON.stringify({ ...documentOf(found), ...('data' in found && { data: found.data }) }, null, 2),
      );
    });
}

function remove(): Command {
  return subcommand('remove', 'delete a credential; who read it stays on record')
    .argument('<name>', 'its name or its id')
    .action(async (name: string, flags: Where) => {
      const { inCredentials } = await import('../runtime/credentials.js');
      const { THIS_PROCESS } = await import('../runtime/stored-credentials.js');
      const gone = await inCredentials(flags, (credentials) => credentials.remove(name, THIS_PROCESS));
      if (!gone) throw notStored(name);
      await printAnswer(flags.json, documentOf(gone), `removed "${gone.name}"`);
    });
}

function audit(): Command {
  return subcommand('audit', 'who read, wrote or deleted credentials, the newest first')
    .argument('[name]', 'only of this credential')
    .option('--execution <id>', 'only readings of this execution')
    .option('--limit <n>', 'at most so many', '100')
    .action(async (name: string | undefined, flags: Where & { execution?: string; limit: string }) => {
      const limit = Number(flags.limit);
      if (!Number.isInteger(limit) || limit < 1)
        throw new UsageError(`--limit ${flags.limit}: expected a whole number from 1`);
      const executionId = flags.execution?.replace(/^noetl-/, '');
      if (executionId !== undefined && !/^\d{1,18}$|^[1-8]\d{18}$/.test(executionId))
        throw new UsageError(`--execution ${flags.execution}: an execution id is a decimal number`);
      const { inCredentials } = await import('../runtime/credentials.js');
      const asked = {
        limit,
        ...(name !== undefined && { name }),
        ...(executionId !== undefined && { executionId }),
      };
      const entries = await inCredentials(flags, (credentials) => credentials.audit(asked));
      if (flags.json) return await print(JSON.stringify({ audit: entries.map(auditDocument) }, null, 2));
      if (entries.length === 0) return void process.stderr.write('nothing is on record\n');
      const rows = entries.map((one) => [
        one.at.toISOString().slice(0, 19),
        one.action,
        one.credentialName,
        one.principal,
        one.remote ?? '',
        one.executionId ?? '',
      ]);
      await print(textTable([['when', 'what', 'credential', 'who', 'from', 'execution'], ...rows]));
    });
}

function rotate(): Command {
  return subcommand(
    'rotate',
    'encrypt everything anew with the first key; facades may serve, a stopped one is resumed',
  ).action(async (flags: Where) => {
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
        ? `; ${left - failed.length} were written under another key meanwhile, run it again`
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

function documentOf(info: CredentialInfo): object {
  return {
    id: info.id,
    name: info.name,
    type: info.type,
    description: info.description,
    tags: info.tags,
    meta: info.meta,
    kid: info.kid,
    created_at: info.createdAt,
    updated_at: info.updatedAt,
  };
}

function auditDocument(entry: AuditEntry): object {
  return {
    at: entry.at,
    action: entry.action,
    credential_id: entry.credentialId,
    credential_name: entry.credentialName,
    principal: entry.principal,
    remote: entry.remote ?? null,
    execution_id: entry.executionId ?? null,
  };
}
