import { Command, Option } from 'commander';
import { type ListedName, type NotificationTarget } from '../../language/plan';
import { type NotificationDocument, type NotificationStatus } from '../../server/store/notifications';
import { UsageError } from '../errors';
import { wholeNumber } from '../input/number';
import { withPlace } from '../input/options';
import { print, printAnswer } from '../output/say';
import { textTable } from '../output/table';
import { type Asking } from '../runtime/port/ask';
import { type RemoteFlags } from '../runtime/port';

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
    .action(async (flags: RemoteFlags & { status?: NotificationStatus; limit: string }) => {
      const { status } = flags;
      const limit = String(wholeNumber(flags.limit, '--limit', 1));
      const query = new URLSearchParams({ limit, ...(status && { status }) });
      const { notifications } = await outboxAt<{ notifications: readonly NotificationDocument[] }>(
        flags,
        `?${query.toString()}`,
      );
      if (flags.json) return await print(JSON.stringify({ notifications }, null, 2));
      await print(notifications.length === 0 ? 'there are no notifications' : tableOf(notifications));
    });
}

interface Targeting {
  notifications?: string;
  server?: string;
  json?: boolean;
}

function targets(): Command {
  return new Command('targets')
    .description('list the targets that playbooks and schedules may name')
    .option('--notifications <file>', 'file of the installation (default: NOETL_NOTIFICATIONS)')
    .option('--server <url>', 'ask the facade at this address instead')
    .option('--json', 'print one JSON document')
    .action(async (flags: Targeting) => {
      if (flags.server !== undefined && flags.notifications !== undefined)
        throw new UsageError('--server has its own file; remove --notifications');
      const listed = await listedTargets(flags);
      if (flags.json) return await print(JSON.stringify({ targets: listed }, null, 2));
      if (listed.length === 0)
        return void process.stderr.write('no targets (`targets:` in the file of --notifications)\n');
      await print(listed.map(({ kind, name }) => `${kind}: ${name}`).join('\n'));
    });
}

/** What authors may name: of a facade, or of the file of this machine. */
async function listedTargets({ notifications, server }: Targeting): Promise<readonly ListedName[]> {
  const { facadeNamed } = await import('../runtime/port/index.js');
  if (notifications === undefined && facadeNamed({ server }) !== undefined)
    return (await outboxAt<{ targets: ListedName[] }>({ server }, '/targets')).targets;
  const [{ targetNames }, { notificationSettings }] = await Promise.all([
    import('../../language/plan/index.js'),
    import('../runtime/notifications.js'),
  ]);
  return targetNames(notificationSettings(notifications).targets);
}

function retry(): Command {
  return withWhere(new Command('retry'))
    .description('send undelivered notifications again')
    .argument('[id...]', 'ids of notifications')
    .option('--dead', 'all that were given up')
    .action(async (ids: string[], flags: RemoteFlags & { dead?: boolean }) => {
      if (ids.length > 0 === (flags.dead === true))
        throw new UsageError('name the notifications, or all that were given up with --dead');
      const body = flags.dead ? { status: 'dead' } : { ids };
      const asking = { method: 'POST', body } as const;
      const { ids: sent } = await outboxAt<{ ids: string[] }>(flags, '/retry', asking);
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

/** At a facade, or in the database. */
async function outboxAt<T>(flags: RemoteFlags, place: string, asking?: Asking): Promise<T> {
  const { askAt } = await import('../runtime/port/index.js');
  return await askAt(flags, `/api/notifications${place}`, asking);
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
