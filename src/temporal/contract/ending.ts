/** The final commands of the engine. */
import { type Command } from '../../engine/machine';

/** The final command of a chunk's machine. */
export type ChunkEnding = Extract<Command, { type: 'chunkEnded' }>;
export type EndCommand = Extract<Command, { type: 'complete' | 'fail' | 'cancelled' }>;
export type LastWord = EndCommand | ChunkEnding;
export type LastCommand = LastWord | Extract<Command, { type: 'continueAsNew' }>;
