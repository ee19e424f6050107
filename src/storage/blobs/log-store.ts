/**
 * Output of tasks, stored beside the payloads of their executions; compressed, encrypted and deleted like these.
 */
import { type PayloadCodec } from '@temporalio/common';
import { type LogLine, type LogStore } from '../../telemetry/logs';
import { workflowId } from '../../language/plan';
import { logPrefix } from './key';
import { type OpenObjectStore } from './object-driver';
import { getValue, putValue } from './values';

/**
 * @param stores the first is written, all are read
 * @param codecs as for history
 */
export function logStore(
  stores: readonly OpenObjectStore[],
  namespace: string,
  codecs: readonly PayloadCodec[],
): LogStore | undefined {
  const [written] = stores;
  if (!written) return undefined;
  const prefixOf = (id: string): string => logPrefix({ namespace, workflowId: workflowId(id) });
  return {
    shown: written.shown,
    write: (id, name, lines) => putValue(written.objects, prefixOf(id) + name, lines, codecs),
    async names(id, after, count) {
      const lists = await Promise.all(stores.map(({ objects }) => objects.list(prefixOf(id), after, count)));
      const [only, ...others] = lists;
      return only && others.length === 0 ? only : lists.flat().sort().slice(0, count);
    },
    async read(id, name) {
      for (const { objects } of stores) {
        const lines = await getValue<LogLine[]>(objects, prefixOf(id) + name, codecs);
        if (lines) return lines;
      }
      return undefined;
    },
  };
}
