/** What the activity of `exec: local` is given and gives back (D20). */
import { type Plan } from '../../plan';
import { type Chunk, type Trace } from '../batch';
import { type ChunkSettled, type State } from '../state';

export interface LocalInput {
  /** Cut down to the step (`planOfChunk`). */
  readonly plan: Plan;
  readonly chunk: Chunk;
  /** To go on with after a wait; null at first. */
  readonly machine: State | null;
}

export interface LocalAnswer {
  readonly settled: Exclude<ChunkSettled, { status: 'lost' }>;
  readonly trace: Trace;
}

/** What a chunk needs of a plan: its step, and nothing that leads away from it. */
export function planOfChunk(plan: Plan, step: string): Plan {
  const { router: _, ...only } = plan.steps.find(({ name }) => name === step)!;
  return { ...plan, workload: { const: {} }, keychain: [], steps: [only], start: step };
}
