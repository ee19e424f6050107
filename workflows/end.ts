/** The engine's last words. */
import { type Command } from '../src/engine';

export type Ending = Extract<Command, { type: 'complete' | 'fail' | 'cancelled' }>;
export type End = Ending | Extract<Command, { type: 'continueAsNew' }>;
