/** Which tokens waited for which before a step. */
import { type EngineEvent, type State } from '../../engine/machine';
import { type CanonicalEvent, occurredAt } from '../events';
import { seconds } from './words';

interface TokenFacts {
  readonly from: string | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export class Joins {
  readonly tokens: Map<string, TokenFacts>;

  constructor(tokens: Iterable<readonly [string, TokenFacts]> = []) {
    this.tokens = new Map(tokens);
  }

  /** @param at milliseconds since the epoch */
  take(event: Pick<EngineEvent, 'entity_id' | 'parent_id'> & { event_type: string }, at: number): void {
    if (event.event_type === 'token.created')
      this.tokens.set(event.entity_id, { from: event.parent_id ?? null, at });
    else if (event.event_type === 'token.ended') this.tokens.delete(event.entity_id);
  }

  merged(event: CanonicalEvent): { summary: string; details: string[] } {
    const ids = event.payload['merged'] as string[];
    const now = occurredAt(event);
    const details = ids.map((id) => {
      const { from, at } = this.tokens.get(id) ?? { from: null, at: now };
      const waited = now - at;
      return `${id} from ${from ?? 'the start'} ${waited > 0 ? `waited ${seconds(waited)}` : 'came last'}`;
    });
    const summary = `step ${String(event.payload['step'])} waited for ${ids.length} tokens of one fork; they merge into ${event.entity_id}, with inputs merged in this order`;
    return { summary, details };
  }

  /** Tokens that wait in this state, and the siblings that may still arrive. */
  stillWaiting(state: State): { step: string; summary: string }[] {
    const tokens = Object.values(state.tokens);
    return tokens
      .filter((token) => token.state === 'waiting')
      .map((token) => {
        const forks = token.forks.map(({ fork }) => fork);
        const others = tokens.filter(
          (other) =>
            other !== token &&
            other.step !== token.step &&
            other.forks.some(({ fork }) => forks.includes(fork)),
        );
        const named = others.map((other) => `${other.id} (at ${other.step})`).join(', ');
        return {
          step: token.step,
          summary: `${token.id} waits at step ${token.step} for its siblings ${named}`,
        };
      });
  }
}
