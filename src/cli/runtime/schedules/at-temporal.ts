/** Schedules accessed through Temporal directly. */
import { type Client } from '@temporalio/client';
import { didYouMeanPath } from '../../../language/plan';
import * as api from '../../../temporal/schedules';
import { PlaybookFolder } from '../../input/playbook-folder';
import { type NamedPlaces } from '../named';
import { askServer, facadeAddressOf } from '../remote/facade-client';
import { askExecution } from '../running';
import { type Schedules } from './schedules';
import { scheduleDetails, scheduleDocuments } from '../../../server/facade/schedules/describe';

export function schedulesAtTemporal(where: NamedPlaces): Schedules {
  const ask = <T>(work: (client: Client) => Promise<T>): Promise<T> => askExecution(where, work);
  return {
    async create(schedule) {
      const doubts = await ask(async (client) => {
        await api.createSchedule(client, schedule);
        return await api.doubtsOf(client, schedule.name, schedule);
      });
      return [...(await unknownHere(schedule.path)), ...doubts];
    },
    change: (name, changes) =>
      ask(async (client) => {
        await api.updateSchedule(client, name, changes);
        return await api.doubtsOf(client, name, changes);
      }),
    list: () => ask(async (client) => scheduleDocuments(client, await api.listSchedules(client))),
    describe: (name) =>
      ask(async (client) => scheduleDetails(client, await api.describeSchedule(client, name))),
    pause: (name, note) => ask((client) => api.pauseSchedule(client, name, note)),
    unpause: (name, note) => ask((client) => api.unpauseSchedule(client, name, note)),
    trigger: (name, overlap) => ask((client) => api.triggerSchedule(client, name, overlap)),
    backfill: (name, span) => ask((client) => api.backfillSchedule(client, name, span)),
    count: (name, span) => ask((client) => api.countBackfill(client, name, span)),
    delete: (name) => ask((client) => api.deleteSchedule(client, name)),
  };
}

/** Workers look up the playbook at its scheduled time and may have others: an unknown one only causes a warning. */
async function unknownHere(path: string): Promise<string[]> {
  const { url, ...server } = facadeAddressOf(undefined);
  const catalog = await askServer<string[]>({ url, ...server }, '/api/catalog/list/playbook').catch(() => []);
  const paths = new Set([...new PlaybookFolder(['.']).paths(), ...catalog]);
  if (paths.has(path)) return [];
  const places = `below this folder${catalog.length > 0 ? `, nor in the catalog of ${url},` : ''}`;
  return [`no playbook ${places} has the path ${path}${didYouMeanPath(path, paths)}`];
}
