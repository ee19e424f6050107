import { Command } from 'commander';
import { bulksText, bulkText } from '../output/bulk-text';
import { withPlace } from '../input/options';
import { print, printAnswer } from '../output/say';
import { type BulkStanding, type BulkSummary } from '../../server/bulk';
import { type Asking } from '../runtime/port/ask';
import { type RemoteFlags } from '../runtime/port';

/** `bulk …`: operations that `--where` began. */
export function bulkCommand(): Command {
  const command = new Command('bulk').description(
    'list, show, cancel and resume operations on many executions (rerun, cancel, pause, resume, replay --where)',
  );
  command.addCommand(
    withPlace(new Command('list'))
      .description('list bulk operations, newest first')
      .action(async (flags: RemoteFlags) => {
        const all = await at<readonly BulkSummary[]>(flags, '');
        await print(flags.json ? JSON.stringify({ operations: all }, null, 2) : bulksText(all));
      }),
  );
  command.addCommand(
    withPlace(new Command('show'))
      .description('show progress and outcomes of a bulk operation')
      .argument('<id>', 'its id')
      .action(async (id: string, flags: RemoteFlags) => {
        const standing = await at<BulkStanding>(flags, `/${encodeURIComponent(id)}`);
        await printAnswer(flags.json, standing, bulkText(standing));
      }),
  );
  command.addCommand(
    withPlace(new Command('cancel'))
      .description(
        'stop a bulk operation after the batch under way; executions it has handled stay as they are',
      )
      .argument('<id>', 'its id')
      .action(async (id: string, flags: RemoteFlags) => {
        await at(flags, `/${encodeURIComponent(id)}/cancel`, { method: 'POST' });
        await printAnswer(flags.json, { bulk_id: id }, `bulk operation ${id} is being stopped`);
      }),
  );
  command.addCommand(
    withPlace(new Command('resume'))
      .description('continue a bulk operation that was stopped or lost its command, and wait for its end')
      .argument('<id>', 'its id')
      .action(async (id: string, flags: RemoteFlags) => {
        const { watchBulk } = await import('../runtime/bulk/carry-out.js');
        const { withPort } = await import('../runtime/port/index.js');
        const { ask } = await import('../runtime/port/ask.js');
        await withPort(flags, async (port) => {
          await ask(port, `/api/bulk/${encodeURIComponent(id)}/resume`, { method: 'POST' });
          process.exitCode = await watchBulk(port, id, flags);
        });
      }),
  );
  return command;
}

async function at<T>(flags: RemoteFlags, place: string, asking?: Asking): Promise<T> {
  const { askAt } = await import('../runtime/port/index.js');
  return await askAt<T>(flags, `/api/bulk${place}`, asking);
}
