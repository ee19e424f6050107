/** The mocks of one rehearsal as the world of its simulation: selects the answer of each call, and counts. */
import { okOutcome, type Outcome, type TaskCall } from '../../../language/plan';
import { type RehearsalMock, type Rehearsal } from '../format/rehearsal';
import { selects } from '../format/selector';
import { type WorldAnswer, CANCELLED, type World } from '../../drive';

/** A call, and its time. */
export interface Call {
  readonly call: TaskCall;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** `after` in milliseconds; `executions`: how often the tool does the work. */
  answer?: { readonly outcome: Outcome; readonly after: number; readonly executions: number };
  /** Milliseconds since the epoch. */
  cancelledAt?: number;
}

/** A call without an answer. */
interface Unanswered {
  readonly call: TaskCall;
  /** The matching mock, if its answers are used up. */
  readonly exhausted: RehearsalMock | null;
}

export interface Usage {
  readonly mock: RehearsalMock;
  /** Calls it answered. */
  used: number;
}

/** What answers a call. */
export type MockedAnswer = Pick<RehearsalMock['answers'][number], 'after' | 'executions' | 'outcome'>;

const NULL: MockedAnswer = {
  after: 0,
  executions: 1,
  outcome: () => okOutcome(null),
};

/** The mocks, unused: the first that selects a call answers it. */
export function usagesOf({ mocks }: Pick<Rehearsal, 'mocks'>): Usage[] {
  // Of two mocks with the same rank the rehearsal's own precedes the shared one, because the sort is stable.
  return [...mocks].sort((a, b) => b.selector.rank - a.selector.rank).map((mock) => ({ mock, used: 0 }));
}

/** Notes that the call was cancelled, at this time in milliseconds since the epoch. */
export function markCancelled(calls: readonly Call[], { task_run_id: id }: TaskCall, at: number): void {
  const entry = calls.findLast(({ call }) => call.task_run_id === id);
  if (entry) entry.cancelledAt ??= at;
}

export class MockedWorld implements World {
  readonly calls: Call[] = [];
  readonly usages: readonly Usage[];
  /** The first of them. */
  unanswered: Unanswered | undefined;

  constructor(private readonly rehearsal: Rehearsal) {
    this.usages = usagesOf(rehearsal);
  }

  answer(call: TaskCall, at: number): WorldAnswer | undefined {
    const entry: Call = { call, at };
    this.calls.push(entry);
    const match = this.find(call);
    if (!match) return undefined;
    const { after, executions } = match;
    entry.answer = { outcome: match.outcome(call), after, executions };
    return entry.answer;
  }

  cancelled(call: TaskCall, at: number): WorldAnswer {
    markCancelled(this.calls, call, at);
    return { outcome: CANCELLED, after: 0 };
  }

  private find(call: TaskCall): MockedAnswer | undefined {
    const usage = this.usages.find(({ mock }) => selects(mock.selector, call));
    if (usage !== undefined) {
      const answer = nth(usage.mock, usage.used);
      if (answer === undefined) {
        this.unanswered ??= { call, exhausted: usage.mock };
        return undefined;
      }
      usage.used++;
      return answer;
    }
    const { defaults, unmocked } = this.rehearsal;
    const otherwise = Object.hasOwn(defaults, call.kind) ? defaults[call.kind]! : undefined;
    if (otherwise !== undefined) return otherwise;
    if (unmocked === 'null') return NULL;
    this.unanswered ??= { call, exhausted: null };
    return undefined;
  }
}

/** The answer of the call of that number (from 0): each answer may be used several times. */
export function nth(
  { answers }: RehearsalMock,
  position: number,
): RehearsalMock['answers'][number] | undefined {
  let left = position;
  for (const answer of answers) {
    if (left < answer.times) return answer;
    left -= answer.times;
  }
  return undefined;
}

/** How many calls the mock has answers for. */
export function answersOf({ answers }: RehearsalMock): number {
  return answers.reduce((sum, { times }) => sum + times, 0);
}
