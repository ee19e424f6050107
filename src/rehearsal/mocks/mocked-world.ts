/** The mocks of one rehearsal as the world of its simulation: selects the answer of each call, and counts. */
import { type Outcome, type TaskCall } from '../../plan';
import { type Mock, type Rehearsal } from '../format/rehearsal';
import { selects } from '../format/selector';
import { type Answer, type World } from '../../proof/drive';

/** A call, and its time. */
export interface Call {
  readonly call: TaskCall;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A call without an answer. */
export interface Unanswered {
  readonly call: TaskCall;
  /** The matching mock, if its answers are used up. */
  readonly exhausted: Mock | null;
}

export interface Usage {
  readonly mock: Mock;
  /** Calls it answered. */
  used: number;
}

const NOTHING: Outcome = { status: 'ok', result: null, error: null, meta: {} };

export class MockedWorld implements World {
  readonly calls: Call[] = [];
  readonly usages: readonly Usage[];
  /** The first of them. */
  unanswered: Unanswered | undefined;

  constructor(private readonly rehearsal: Rehearsal) {
    // Of two mocks with the same rank the rehearsal's own precedes the shared one, because the sort is stable.
    this.usages = [...rehearsal.mocks]
      .sort((a, b) => b.selector.rank - a.selector.rank)
      .map((mock) => ({ mock, used: 0 }));
  }

  answer(call: TaskCall, at: number): Answer | undefined {
    this.calls.push({ call, at });
    const usage = this.usages.find(({ mock }) => selects(mock.selector, call));
    if (usage !== undefined) {
      const answer = nth(usage.mock, usage.used);
      if (answer === undefined) {
        this.unanswered ??= { call, exhausted: usage.mock };
        return undefined;
      }
      usage.used++;
      return { outcome: answer.outcome(call), after: answer.after };
    }
    const { defaults, unmocked } = this.rehearsal;
    const otherwise = Object.hasOwn(defaults, call.kind) ? defaults[call.kind]! : undefined;
    if (otherwise !== undefined) return { outcome: otherwise.outcome(call), after: otherwise.after };
    if (unmocked === 'null') return { outcome: NOTHING, after: 0 };
    this.unanswered ??= { call, exhausted: null };
    return undefined;
  }
}

/** The answer of the call of that number (from 0): each answer may be used several times. */
function nth({ answers }: Mock, position: number): Mock['answers'][number] | undefined {
  let left = position;
  for (const answer of answers) {
    if (left < answer.times) return answer;
    left -= answer.times;
  }
  return undefined;
}

/** How many calls the mock has answers for. */
export function answersOf({ answers }: Mock): number {
  return answers.reduce((sum, { times }) => sum + times, 0);
}
