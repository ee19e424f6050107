import { Command } from 'commander';
import { type OverviewDocument } from '../../server/facade/documents';
import { wholeNumber } from '../input/number';
import { withPlace } from '../input/options';
import { overviewText } from '../output/overview-text';
import { paint, wantsColor } from '../output/paint';
import { print } from '../output/say';
import { type RemoteFlags } from '../runtime/port';

/** `now`: what is wrong, how runs do, and what starts next. */
export function nowCommand(): Command {
  const command = new Command('now')
    .description(
      'show what is wrong now, how runs do, and what starts next; exit code 1 if something is wrong',
    )
    .option('--hours <n>', 'look so many hours back and ahead, at most 168', '24')
    .option(
      '--database <url>',
      'postgres://… of the projection (default: DATABASE_URL, or that of the data folder)',
    );
  return withPlace(command).action(async (flags: RemoteFlags & { hours: string }) => {
    const hours = wholeNumber(flags.hours, '--hours', 1);
    const { askAt } = await import('../runtime/port/index.js');
    const overview = await askAt<OverviewDocument>(flags, `/api/overview?hours=${hours}`);
    const text = (): string => overviewText(overview, hours, paint(wantsColor(process.stdout)));
    await print(flags.json ? JSON.stringify(overview, null, 2) : text());
    if (!overview.ok) process.exitCode = 1;
  });
}
