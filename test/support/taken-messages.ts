import { type OpenSource, type SourceMessage } from '../../src/server/triggers/source';
import { until } from './until';

/** So many messages of a source: a take may end with fewer. */
export async function takenMessages(source: OpenSource, most: number): Promise<SourceMessage[]> {
  const all: SourceMessage[] = [];
  await until(async () => {
    all.push(...(await source.take(most - all.length, 1000)));
    return all.length >= most;
  });
  return all;
}
