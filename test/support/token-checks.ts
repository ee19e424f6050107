/** Tokens as events tell of them: none is lost, none goes on twice. */
import { type EngineEvent } from '../../src/engine/machine';

type Told = Pick<EngineEvent, 'entity_id' | 'step_run_id' | 'parent_id' | 'payload'> & { event_type: string };

/**
 * The violations found, in words: every token is claimed by one step run or merged into another token, and every
 * claimed one is replaced by those its arcs made, or ended. `complete`: at the end nothing is left open.
 */
export function checkTokens(events: readonly Told[], complete: boolean): string[] {
  const found: string[] = [];
  const tokens = new Map<string, { arrived: number; left: number }>();
  const holders = new Map<string, string>();
  const fate = (id: string): { arrived: number; left: number } => {
    const entry = tokens.get(id);
    if (!entry) found.push(`${id} was never created`);
    return entry ?? { arrived: 0, left: 0 };
  };
  const forwarded = new Set<string>();
  for (const { event_type, entity_id, step_run_id, parent_id, payload } of events) {
    switch (event_type) {
      case 'token.created':
        if (tokens.has(entity_id)) found.push(`${entity_id} was created twice`);
        tokens.set(entity_id, { arrived: 0, left: 0 });
        break;
      case 'token.claimed':
        fate(entity_id).arrived++;
        break;
      case 'step.started':
        if (holders.has(step_run_id!)) found.push(`${step_run_id} ran for two tokens`);
        holders.set(step_run_id!, parent_id!);
        break;
      case 'token.merged':
        for (const id of payload['merged'] as string[]) if (id !== entity_id) fate(id).arrived++;
        for (const id of payload['merged'] as string[]) if (id !== entity_id) fate(id).left++;
        break;
      case 'token.ended':
        fate(entity_id).left++;
        break;
      case 'next.enqueued':
        if (!forwarded.has(step_run_id!)) fate(holders.get(step_run_id!)!).left++;
        forwarded.add(step_run_id!);
        break;
    }
  }
  for (const [id, { arrived, left }] of tokens) {
    if (arrived > 1 || left > 1)
      found.push(`${id} was claimed or merged ${arrived} times, left ${left} times`);
    if (complete && (arrived !== 1 || left !== 1)) found.push(`${id} was lost`);
  }
  return found;
}
