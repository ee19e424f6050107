/**
 * Explains why a run did what it did: its decisions in plain language, from its history alone. The engine is replayed,
 * and the names in guards are looked up at the moment each was evaluated.
 */
import { compact, type Plan } from '../../language/plan';
import { Derivation, type DerivationOptions, type HistoryPart } from '../derivation';
import { eventStream } from '../follow';
import { type CanonicalEvent } from '../events';
import { type ExplainedDecision } from './weigh';
import { observe, type Observation } from './operands';
import { type DecisionSelection, KeptDecisions } from './kept';
import { type SourceLines, Teller, weighs } from './teller';

export interface Explanation {
  readonly execution_id: string;
  readonly playbook: string;
  readonly status: string;
  readonly decisions: readonly ExplainedDecision[];
  readonly divergence?: { readonly message: string };
  /** Of a page: `after` of the next one; null for the last. */
  readonly next_after?: number | null;
}

export type ExplainOptions = DerivationOptions &
  DecisionSelection & {
    /** Position of the event that ends a page: the rest is not derived. */
    readonly most?: number;
    /** Receives the events, in order. */
    readonly onEvents?: (events: readonly CanonicalEvent[]) => void;
  };

/**
 * @param lines of the playbook, once its plan is known
 * @throws CodedError `HISTORY` when the pages are not the history of a playbook
 */
export async function explainExecution(
  pages: AsyncIterable<readonly HistoryPart[]>,
  lines: (plan: Plan) => SourceLines | Promise<SourceLines> = () => () => undefined,
  { step, at, after, most = Infinity, onEvents, ...options }: ExplainOptions = {},
): Promise<Explanation> {
  const seen = new Map<number, readonly Observation[]>();
  let pending: Observation[] = [];
  const derivation = new Derivation({
    ...options,
    watcher: {
      guard: (guard, isTrue, scope) => pending.push(observe(guard, isTrue, scope)),
      event: (event, _state, { seq }) => {
        if (!weighs(event) || pending.length === 0) return;
        seen.set(seq, pending);
        pending = [];
      },
    },
  });
  let teller: Teller | undefined;
  let next: number | null = null;
  for await (const event of eventsOf(eventStream(pages, derivation), onEvents)) {
    if (event.seq > most) {
      next = most;
      break;
    }
    teller ??= new Teller(
      derivation.plan,
      await lines(derivation.plan),
      new KeptDecisions(compact({ step, at, after })),
    );
    teller.read(derivation.plan);
    teller.tell(event, seen.get(event.seq) ?? []);
    seen.delete(event.seq);
  }
  if (next === null) teller?.end(derivation.state);
  const isPage = at === undefined && (after !== undefined || next !== null);
  return {
    ...factsOf(derivation),
    decisions: teller?.kept.decisions ?? [],
    ...(isPage && { next_after: next }),
  };
}

async function* eventsOf(
  portions: AsyncIterable<readonly CanonicalEvent[]>,
  onEvents: ExplainOptions['onEvents'],
): AsyncGenerator<CanonicalEvent, void> {
  for await (const events of portions) {
    onEvents?.(events);
    yield* events;
  }
}

function factsOf({ state, plan, divergence, closed }: Derivation): Omit<Explanation, 'decisions'> {
  const isEnded = closed?.status === 'terminated' || closed?.status === 'timed_out';
  return {
    execution_id: state.executionId,
    playbook: plan.metadata.path,
    status: isEnded ? closed.status : state.status,
    ...(divergence ? { divergence } : {}),
  };
}
