/** Reading a history in the process that has the connection: nothing is passed on as bytes. */
import { type LoadedDataConverter } from '@temporalio/common';
import { type HistoryEvent, type Pages } from '../../history';
import { type Host } from '../threads/serve-jobs';
import { type HostReading, readingWith } from './from-host';

/** As `readingOf`. @param converter of this process */
export function readingHere(id: string, host: Host, converter: LoadedDataConverter): HostReading {
  return readingWith(id, host, converter, () => pagesHere(host));
}

async function* pagesHere(host: Host): AsyncGenerator<readonly HistoryEvent[], void> {
  yield* (await host.ask('history')) as Pages;
}
