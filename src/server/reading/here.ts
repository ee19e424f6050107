/** Reading a history in the process that has the connection: nothing is passed on as bytes. */
import { type LoadedDataConverter } from '@temporalio/common';
import { Derivation, type HistoryEvent, type Pages } from '../../history';
import { type Host } from '../threads/serve-jobs';
import { type HostReading } from './from-host';

/** As `readingOf`. @param converter of this process */
export function readingHere(id: string, host: Host, converter: LoadedDataConverter): HostReading {
  const progress = (events: number): void => host.tell('progress', events);
  return {
    id,
    converter,
    host,
    progress,
    pages: () => pagesHere(host),
    derivation: (options) => new Derivation({ converter, progress, ...options }),
  };
}

async function* pagesHere(host: Host): AsyncGenerator<readonly HistoryEvent[], void> {
  yield* (await host.ask('history')) as Pages;
}
