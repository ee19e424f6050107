/** The facade's handlers in this process, with what they need opened when they are asked. */
import { type Client } from '@temporalio/client';
import { derivingHere, HandlersHere, type ServicesHere } from '../../../server/facade/in-process';
import { FacadeError } from '../../../server/facade/http/errors';
import { compact, didYouMeanPath, type Plan } from '../../../language/plan';
import {
  configuredAddress,
  describedIfThere,
  executionIdIn,
  executionIdOf,
  executionNotFound,
  namespaceOf,
  workflowId,
} from '../../../temporal/client';
import { type Storage } from '../../../storage/blobs';
import { UsageError } from '../../errors';
import { extensions } from '../../extensions';
import { dataFolder } from '../data-folder';
import { textOfFile } from '../executions/source-lines';
import { clientFor } from '../recorded-run';
import { openLocalStorage } from '../storage';
import { ask, refusalOf } from './ask';
import { type Port, type PortFlags } from './port';

/** @param places where Temporal, storage and the database are, if the environment does not say it */
export function portHere(places: PortFlags): Port {
  const closing: (() => unknown)[] = [];
  const stopping = new AbortController();
  const storageOf = once(async () => {
    const storage = await openLocalStorage(places.storage, dataFolder(places.data));
    closing.push(() => storage.close());
    return storage;
  });
  const clientOf = once(async () => {
    const { dataConverter } = await storageOf();
    const { client, stop } = await clientFor(dataFolder(places.data), dataConverter);
    closing.push(stop);
    return client;
  });
  const executions = once(async (): Promise<ServicesHere> => {
    const client = await clientOf();
    return {
      ...derivingHere(client, textOfFile, extensions().kinds),
      logs: (await storageOf()).logs(client.options.namespace),
      stopping: stopping.signal,
      away: () => void process.stderr.write('the Temporal server does not respond; waiting for it\n'),
    };
  });
  const databaseOf = once(async () => {
    const { openStore } = await import('../store.js');
    const { database, close } = await openStore(places);
    closing.push(close);
    return database;
  });
  const handlers = new HandlersHere(async (resource) => {
    if (resource === 'cache') return { cache: cacheOf(await storageOf()) };
    if (resource === 'notifications') return { database: await databaseOf() };
    if (resource === 'overview') {
      const isNamed = places.database ?? process.env['DATABASE_URL'];
      // Of another Temporal, this folder's database knows nothing.
      const database = isNamed || configuredAddress() === undefined ? await databaseOf() : undefined;
      return { client: await clientOf(), ...compact({ database }) };
    }
    return { ...(await executions()), library: { scheduled: doubtsHere } };
  });
  return {
    async fetch(path, request) {
      try {
        return await handlers.fetch(path, request);
      } catch (error) {
        if (!(error instanceof FacadeError)) throw error;
        const { status, code, message, more } = error;
        throw refusalOf(status, { ...more, code, detail: message });
      }
    },
    async close() {
      stopping.abort();
      for (const close of closing.reverse()) await close();
    },
    idOf: async (name) => executionIdOf(workflowId(name)) ?? (await idIn(await clientOf(), name)),
  };
}

/** For an execution that another client started under a workflow id of its own. */
async function idIn(client: Client, name: string): Promise<string> {
  const run = await describedIfThere(client, name);
  const id = run && executionIdIn(run);
  if (id !== undefined) return id;
  throw executionNotFound(name);
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | undefined;
  return () => (value ??= make());
}

function cacheOf(storage: Storage): NonNullable<ServicesHere['cache']> {
  const cache = storage.cache(namespaceOf());
  if (cache) return cache;
  throw new UsageError('there is no storage, where cached results are kept: set --storage');
}

/** Workers look up the playbook at its scheduled time and may have others: an unknown one only causes a warning. */
async function doubtsHere(path: string): Promise<Plan | string[]> {
  const [{ facadeOf }, { PlaybookFolder }] = await Promise.all([
    import('./facade.js'),
    import('../../input/playbook-folder.js'),
  ]);
  const facade = facadeOf(undefined);
  const catalog = await ask<string[]>(facade, '/api/catalog/list/playbook').catch(() => []);
  const paths = new Set([...new PlaybookFolder(['.']).paths(), ...catalog]);
  if (paths.has(path)) return [];
  const places = `below this folder${catalog.length > 0 ? `, nor in the catalog of ${facade.url},` : ''}`;
  return [`no playbook ${places} has the path ${path}${didYouMeanPath(path, paths)}`];
}
