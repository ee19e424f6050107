/** What a chunk reports to its loop, as an engine input; also used by src/history. */
import { type Input } from '../src/engine';
import { type ChunkReport } from './contract';

export function chunkInput({ ref, trace, settled }: ChunkReport): Input {
  return settled ? { type: 'chunkSettled', ref, settled, trace } : { type: 'chunkTold', ref, trace };
}
