/**
 * Output of tasks, stored beside the payloads of their executions; compressed, encrypted and deleted like these.
 */
import { type Payload, type PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { decode, encode } from '@temporalio/common/lib/encoding';
import { type LogLine, type LogStore } from '../logs';
import { COMPRESSIBLE } from '../payloads';
import { workflowId } from '../plan';
import { logPrefix } from './key';
import { type Objects } from './object-driver';

const { Payload: PayloadProto } = temporal.api.common.v1;
const METADATA = { encoding: encode('json/plain'), [COMPRESSIBLE]: encode('1') };

/**
 * @param stores the first is written, all are read
 * @param codecs as for history
 */
export function logStore(
  stores: readonly { readonly objects: Objects; readonly shown: string }[],
  namespace: string,
  codecs: readonly PayloadCodec[],
): LogStore | undefined {
  const [written] = stores;
  if (!written) return undefined;
  const prefixOf = (id: string): string => logPrefix({ namespace, workflowId: workflowId(id) });
  return {
    shown: written.shown,
    async write(id, name, lines) {
      let payload: Payload = { metadata: METADATA, data: encode(JSON.stringify(lines)) };
      for (const codec of codecs) [payload = payload] = await codec.encode([payload]);
      await written.objects.put(prefixOf(id) + name, PayloadProto.encode(payload).finish(), false);
    },
    async names(id, after, count) {
      const lists = await Promise.all(stores.map(({ objects }) => objects.list(prefixOf(id), after, count)));
      const [only, ...others] = lists;
      return only && others.length === 0 ? only : lists.flat().sort().slice(0, count);
    },
    async read(id, name) {
      for (const { objects } of stores) {
        const bytes = await objects.get(prefixOf(id) + name);
        if (!bytes) continue;
        let payload: Payload = PayloadProto.decode(bytes);
        for (const codec of [...codecs].reverse()) [payload = payload] = await codec.decode([payload]);
        return JSON.parse(decode(payload.data ?? new Uint8Array())) as LogLine[];
      }
      return undefined;
    },
  };
}
