import { Command, Option } from 'commander';
import { type NotificationTarget } from '../../language/plan';
import { type NotificationDocument, type NotificationStatus } from '../../server/store/notifications';
import { UsageError } from '../errors';
import { wholeNumber } from '../input/number';
import { type DatabaseFlags, withPlace } from '../input/options';
import { print, printAnswer } from '../output/say';
import { textTable } from '../output/table';
import { type NotificationOutbox } from '../runtime/stored-notifications';

interface Where extends DatabaseFlags {
  server?: string;
}

const STATUSES: readonly NotificationStatus[] = ['pending', 'delivered', 'dead'];

/** `notifications …`: what was told to people and systems, and what could not be delivered. */
export function notificationsCommand(): Command {
  return new Command('notifications')
    .description('list notifications of executions, and send those again that could not be delivered')
    .addCommand(list())
    .addCommand(targets())
    .addCommand(retry());
}

function list(): Command {
  return withWhere(new Command('list'))
    .description('list notifications, newest first')
    .addOption(new Option('--status <status>', 'only these; dead: given up').choices([...STATUSES]))
    .option('--limit <n>', 'at most this many', '100')
    .action(async (flags: Where & { status?: NotificationStatus; limit: string }) => {
      const limit = wholeNumber(flags.limit, '--limit', 1);
      const notifications = await (await outboxAt(flags)).list({ status: flags.status, limit });
      if (flags.json) return await print(JSON.stringify({ notifications }, null, 2));
      await print(notifications.length === 0 ? 'there are no notifications' : tableOf(notifications));
    });
}

function targets(): Command {
  return new Command('targets')
    .description('list the targets that playbooks and schedules may name')
    .option('--notifications <file>', 'file of the installation (default: NOETL_NOTIFICATIONS)')
    .option('--server <url>', 'ask the facade at this address instead')
    .option('--json', 'print one JSON document')
    .action(async (flags: { notifications?: string; server?: string; json?: boolean }) => {
      if (flags.server !== undefined && flags.notifications !== undefined)
        throw new UsageError('--server has its own file; remove --notifications');
      const { listedTargets } = await import('../runtime/listed-targets.js');
      const listed = await listedTargets(flags);
      if (flags.json) return await print(JSON.stringify({ targets: listed }, null, 2));
      if (listed.length === 0)
        return void process.stderr.write('no targets (`targets:` in the file of --notifications)\n');
      await print(listed.map(({ kind, name }) => `${kind}: ${name}`).join('\n'));
    });
}

function retry(): Command {
  return withWhere(new Command('retry'))
    .description('send undelivered notifications again')
    .argument('[id...]', 'ids of notifications')
    .option('--dead', 'all that were given up')
    .action(async (ids: string[], flags: Where & { dead?: boolean }) => {
      if (ids.length > 0 === (flags.dead === true))
        throw new UsageError('name the notifications, or all that were given up with --dead');
      const sent = await (await outboxAt(flags)).retry(flags.dead ? 'dead' : ids);
      const missing = ids.filter((id) => !sent.includes(id));
      if (missing.length > 0)
        throw new UsageError(
          `no undelivered notification has the id ${missing.join(', ')}`,
          { hint: ['noetl-temporal notifications list --status dead'] },
          'NOTIFICATION_NOT_FOUND',
        );
      await printAnswer(flags.json, { ids: sent }, `${sent.length} notifications will be sent again`);
    });
}

function withWhere(command: Command): Command {
  return withPlace(
    command.option(
      '--database <url>',
      'postgres://… (default: DATABASE_URL, or the Postgres of the data folder)',
    ),
  );
}

async function outboxAt({ server, ...where }: Where): Promise<NotificationOutbox> {
  if (server !== undefined && (where.database !== undefined || where.data !== undefined))
    throw new UsageError('--server has its own database; remove --database and --data');
  const { outboxOf } = await import('../runtime/stored-notifications.js');
  return outboxOf({ server, ...where });
}

function tableOf(all: readonly NotificationDocument[]): string {
  const rows = all.map((one) => [
    one.id,
    one.status,
    one.cause,
    one.execution_id ?? `schedule ${one.schedule ?? ''}`,
    one.path,
    targetText(one.target),
    one.error ?? one.delivered_at ?? '',
  ]);
  return textTable([['ID', 'STATUS', 'CAUSE', 'EXECUTION', 'PATH', 'TARGET', 'DELIVERED OR ERROR'], ...rows]);
}

function targetText(target: NotificationTarget): string {
  if ('playbook' in target) return `playbook ${target.playbook}`;
  if ('webhook' in target) return target.webhook;
  if ('unlisted' in target) return `${target.unlisted} ${target.name} (not listed)`;
  return 'chat' in target ? `chat ${target.chat}` : target.email.join(', ');
}
