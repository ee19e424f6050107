/**
 * Explains why a run did what it did: its decisions in plain language, from its history alone. The engine is replayed,
 * and the names in guards are looked up at the moment each was evaluated.
 */
import { compact, type Plan } from '../../plan';
import { Derivation, type DerivationOptions } from '../derivation';
import { eventStream, type Pages } from '../follow';
import { type Decision } from './decision';
import { observe, type Observation } from './operands';
import { decides, Kept, type Selection, type SourceLines, Teller } from './teller';

export interface Explanation {
  readonly execution_id: string;
  readonly playbook: string;
  readonly status: string;
  readonly decisions: readonly Decision[];
  readonly divergence?: { readonly message: string };
}

export type ExplainOptions = DerivationOptions & Selection;

/**
 * @param lines of the playbook, once its plan is known
 * @throws CodedError `HISTORY` when the pages are not the history of a playbook
 */
export async function explain(
  pages: Pages,
  lines: (plan: Plan) => SourceLines | Promise<SourceLines> = () => () => undefined,
  { step, at, after, ...options }: ExplainOptions = {},
): Promise<Explanation> {
  const seen = new Map<number, readonly Observation[]>();
  let pending: Observation[] = [];
  const derivation = new Derivation({
    ...options,
    watcher: {
      guard: (guard, isTrue, scope) => pending.push(observe(guard, isTrue, scope)),
      event: (event, _state, { seq }) => {
        if (!decides(event) || pending.length === 0) return;
        seen.set(seq, pending);
        pending = [];
      },
    },
  });
  let teller: Teller | undefined;
  let id = '';
  for await (const events of eventStream(pages, derivation)) {
    for (const event of events) {
      teller ??= new Teller(
        derivation.plan,
        await lines(derivation.plan),
        new Kept(compact({ step, at, after })),
      );
      teller.tell(event, seen.get(event.seq) ?? []);
      seen.delete(event.seq);
      id = event.execution_id;
    }
  }
  const { state, plan, divergence, closed } = derivation;
  teller?.end(state);
  const status =
    closed?.status === 'terminated' || closed?.status === 'timed_out' ? closed.status : state.status;
  return {
    execution_id: id,
    playbook: plan.metadata.path,
    status,
    decisions: teller?.kept.decisions ?? [],
    ...(divergence ? { divergence } : {}),
  };
}
