import { Command, Option } from 'commander';
import { type ListedName, type NotificationTarget } from '../../language/plan';
import {
  type NotificationDocument,
  type NotificationStatus,
  type Silence,
} from '../../server/store/notifications';
import { UsageError } from '../errors';
import { milliseconds, wholeNumber } from '../input/number';
import { withPlace } from '../input/options';
import { print, printAnswer } from '../output/say';
import { textTable } from '../output/table';
import { type Asking } from '../runtime/port/ask';
import { type RemoteFlags } from '../runtime/port';

const STATUSES: readonly NotificationStatus[] = ['pending', 'delivered', 'dead', 'silenced'];

/** `notifications …`: what was told to people and systems, and what could not be delivered. */
export function notificationsCommand(): Command {
  return new Command('notifications')
    .description(
      'list notifications of executions, send those again that could not be delivered, silence paths',
    )
    .addCommand(list())
    .addCommand(targets())
    .addCommand(retry())
    .addCommand(silence())
    .addCommand(silences());
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
    .option('--silenced', 'all that a silence held back')
    .action(async (ids: string[], flags: RemoteFlags & { dead?: boolean; silenced?: boolean }) => {
      const status = flags.dead ? 'dead' : flags.silenced && 'silenced';
      if (ids.length > 0 === Boolean(status) || (flags.dead && flags.silenced))
        throw new UsageError(
          'name the notifications, or all that were given up with --dead, or held back with --silenced',
        );
      const body = status ? { status } : { ids };
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

interface Silencing extends RemoteFlags {
  for?: string;
  until?: string;
  cause?: string;
  reason?: string;
  end?: boolean;
}

function silence(): Command {
  return withWhere(new Command('silence'))
    .description('notify nobody of the playbooks of a path until a time')
    .argument('<path>', "'etl/*': * stands for any characters")
    .option('--for <time>', 'from now on: 90m, 2h, 3d')
    .option('--until <time>', 'until then: 2026-11-27T08:00:00Z')
    .option('--cause <causes>', 'of these only: failed,late (default: all)')
    .option('--reason <text>', 'why, for others')
    .option('--end', 'notify of them again')
    .action(async (path: string, flags: Silencing) => {
      if ([flags.for, flags.until, flags.end].filter(Boolean).length !== 1)
        throw new UsageError('say until when with --for or --until, or that it is over with --end');
      if (flags.end) {
        const asking = { method: 'DELETE' } as const;
        const ended = await outboxAt<object>(flags, `/silences?path=${encodeURIComponent(path)}`, asking);
        return await printAnswer(flags.json, ended, `${path} is not silenced any more`);
      }
      const body = { path, until: untilOf(flags), causes: flags.cause?.split(','), reason: flags.reason };
      const asking = { method: 'POST', body } as const;
      const put = await outboxAt<{ until: string; playbooks: number }>(flags, '/silences', asking);
      const about = `${put.playbooks} ${put.playbooks === 1 ? 'playbook' : 'playbooks'} of the catalog`;
      await printAnswer(flags.json, put, `${path} is silenced until ${put.until}: ${about}`);
    });
}

function untilOf({ for: time, until = '' }: Silencing): string {
  const at = time === undefined ? Date.parse(until) : Date.now() + milliseconds(time, '--for');
  if (Number.isNaN(at)) throw new UsageError(`--until ${until}: expected a time like 2026-11-27T08:00:00Z`);
  return new Date(at).toISOString();
}

function silences(): Command {
  return withWhere(new Command('silences'))
    .description('list the paths that are silenced now')
    .action(async (flags: RemoteFlags) => {
      const answer = await outboxAt<{ silences: readonly (Omit<Silence, 'until'> & { until: string })[] }>(
        flags,
        '/silences',
      );
      if (flags.json) return await print(JSON.stringify(answer, null, 2));
      if (answer.silences.length === 0) return await print('nothing is silenced');
      const rows = answer.silences.map(({ path, until, causes, created_by, reason }) => [
        path,
        until,
        causes?.join(', ') ?? 'all',
        created_by,
        reason ?? '',
      ]);
      await print(textTable([['PATH', 'UNTIL', 'CAUSES', 'BY', 'REASON'], ...rows]));
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
  if ('trigger' in target) return `subscription ${String(target.trigger)}`;
  if ('playbook' in target) return `playbook ${target.playbook}`;
  if ('webhook' in target) return target.webhook;
  if ('unlisted' in target) return `${target.unlisted} ${target.name} (not listed)`;
  return 'chat' in target ? `chat ${target.chat}` : target.email.join(', ');
}
