/** `events ID --database`: the events stored by `project`, even of executions that Temporal no longer has. */
import { addressOf, openPool } from '../../storage/postgres';
import { PROFILES, type ProfileName } from '../../history';
import { storedEvents } from '../../server/projection';
import { databaseError, migrate, shownDatabase } from '../../server/store';
import { executionIdOf } from '../../temporal/client';
import { EXIT, UsageError } from '../errors';
import { type EventFormat, eventWriter } from '../output/event-lines';
import { waitingFor } from '../output/waiting';
import { postgresOf, type StoreOptions } from './store';

export interface StoredOptions extends StoreOptions {
  readonly profile: ProfileName;
  readonly format: EventFormat;
}

/** @throws UsageError if the database has no such execution */
export async function printStoredEvents(named: readonly string[], options: StoredOptions): Promise<number> {
  const [name = ''] = named;
  const id = executionIdOf(name) ?? name;
  if (named.length > 1 || !/^[1-9]\d{0,18}$/.test(id))
    throw new UsageError(`${named.join(' ')}: with --database, give one execution id`);
  const postgres = await postgresOf(options);
  await waitingFor(`the database at ${shownDatabase(postgres.url)}`, migrate(postgres.url));
  const pool = openPool({ ...addressOf(postgres.url), max: 1 });
  const writer = eventWriter(options.format, PROFILES[options.profile].project(), process.stdout);
  let isKnown = false;
  try {
    for await (const events of storedEvents(pool, id)) {
      isKnown = true;
      await writer.write(events);
    }
  } catch (error) {
    throw databaseError(postgres.url, error);
  } finally {
    await pool.end();
    await postgres.stop();
  }
  if (!isKnown) throw new UsageError(`${id}: the database has no event of this execution`);
  await writer.end();
  return EXIT.success;
}
