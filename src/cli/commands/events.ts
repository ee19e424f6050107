import { Command, Option } from 'commander';
import { print } from '../output/say';

/** `events EXECUTION|FILE`: the canonical events of a run, derived from its Temporal history. */
export function eventsCommand(): Command {
  return new Command('events')
    .description('print the canonical events of a run, derived from its Temporal history')
    .argument(
      '<execution>',
      'an execution id, or a history that `run --history` or `temporal workflow show` wrote',
    )
    .addOption(new Option('--format <format>', 'how').choices(['table', 'json', 'ndjson']).default('table'))
    .option('--data <folder>', 'the data folder of the run')
    .action(async (execution: string, flags: { format: string; data?: string }) => {
      const { derive, openRecorded } = await import('../runtime/recorded-run.js');
      const run = await openRecorded([execution], flags.data);
      const { events } = await derive(run).finally(() => run.close());
      if (flags.format === 'json') return await print(JSON.stringify(events, null, 2));
      if (flags.format === 'ndjson')
        return await print(events.map((event) => JSON.stringify(event)).join('\n'));
      const rows = events.map((event) => [
        String(event.seq),
        event.timestamp.slice(11, 23),
        event.event_type,
        event.status,
        event.task_run_id ?? event.step_run_id ?? event.entity_id,
      ]);
      const widths = [0, 1, 2, 3].map((column) => Math.max(0, ...rows.map((row) => row[column]!.length)));
      await print(
        rows
          .map((row) =>
            row
              .map((cell, i) => cell.padEnd(widths[i] ?? 0))
              .join('  ')
              .trimEnd(),
          )
          .join('\n'),
      );
    });
}
