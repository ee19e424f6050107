/** The final commands of the engine. */
import { type Command } from '../../engine/machine';

/** The final command of a chunk's machine. */
export type ChunkEnding = Extract<Command, { type: 'chunkEnded' }>;
export type Ending = Extract<Command, { type: 'complete' | 'fail' | 'cancelled' }>;
export type LastWord = Ending | ChunkEnding;
export type End = LastWord | Extract<Command, { type: 'continueAsNew' }>;
