/** What a chunk tells its loop, as an input of the engine; also what src/history makes of it. */
import { type Input } from '../src/engine';
import { type ChunkReport } from './contract';

export function chunkInput({ ref, trace, settled }: ChunkReport): Input {
  return settled ? { type: 'chunkSettled', ref, settled, trace } : { type: 'chunkTold', ref, trace };
}
