/** Prepares reruns in threads, for what is not asked for by a client. */
import { type Client } from '@temporalio/client';
import { type Prepare } from '../../bulk';
import { Readings } from './readings';

export function rerunsInThreads(client: Client): { readonly prepare: Prepare; close(): void } {
  const readings = new Readings(client, () => Promise.resolve(undefined));
  return {
    prepare: (id, about) => readings.whole('rerun', { id, about }),
    close: () => readings.close(),
  };
}
