import { Command, Option } from 'commander';
import { type ProfileName, PROFILE_NAMES } from '../../history/profiles/profile';
import { UsageError } from '../errors';
import { atServerOption } from '../input/options';
import { EVENT_FORMATS, type EventFormat } from '../output/event-lines';

interface Flags {
  profile: ProfileName;
  format: EventFormat;
  follow?: boolean;
  stateAt?: string;
  data?: string;
  storage?: string;
  server?: string;
  bodies?: boolean;
  /** `true` without a URL. */
  database?: string | true;
}

const OPTIONS = {
  follow: '--follow',
  stateAt: '--state-at',
  bodies: '--bodies',
  server: '--server',
} as const;

/** `events EXECUTION|FILE`: the canonical events of a run, derived from its Temporal history. */
export function eventsCommand(): Command {
  return new Command('events')
    .description('print the canonical events of a run, derived from its Temporal history')
    .argument(
      '<execution...>',
      'an execution id, or the history files that `run --history` or `temporal workflow show -o json` wrote',
    )
    .addOption(new Option('--profile <profile>', 'the envelope').choices(PROFILE_NAMES).default('canonical'))
    .addOption(
      new Option('--format <format>', 'format of the output').choices(EVENT_FORMATS).default('table'),
    )
    .option('-f, --follow', 'follow a running execution until it ends')
    .option('--state-at <seq>', 'print the state of the execution at this event instead')
    .option('--data <folder>', 'the data folder of the run')
    .option('--storage <url>', 'location of its large values (default: NOETL_STORAGE, or the data folder)')
    .addOption(atServerOption())
    .option('--bodies', 'print values above limits.max_payload_bytes instead of references to them')
    .option(
      '--database [url]',
      'read the events that `project` wrote to this database (default: as for `project`), also of executions that Temporal has deleted',
    )
    .action(async (named: string[], flags: Flags) => {
      if (flags.profile !== 'canonical' && flags.format === 'table')
        throw new UsageError(
          `--profile ${flags.profile}: the table shows canonical events; add --format json or ndjson`,
        );
      const { database, ...given } = flags;
      if (database !== undefined) {
        const [other] = (['follow', 'stateAt', 'bodies', 'server'] as const).filter((name) => flags[name]);
        if (other) throw new UsageError(`--database: its events are fixed; remove ${OPTIONS[other]}`);
        const { printStoredEvents } = await import('../runtime/print-stored-events.js');
        process.exitCode = await printStoredEvents(named, {
          ...flags,
          database: database === true ? undefined : database,
        });
        return;
      }
      const { printEvents, printStateAt } = await import('../runtime/print-events.js');
      if (flags.stateAt === undefined) process.exitCode = await printEvents(named, given);
      else process.exitCode = await printStateAt(named, flags.stateAt, given);
    });
}
