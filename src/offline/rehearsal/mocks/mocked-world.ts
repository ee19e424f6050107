/** The mocks of one rehearsal as the world of its simulation: selects the answer of each call, and counts. */
import { okOutcome, type Outcome, type TaskCall } from '../../../language/plan';
import { type MockAnswer } from '../format/answers';
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
export type MockedAnswer = Pick<MockAnswer, 'after' | 'executes' | 'executions' | 'outcome'>;

const NO_ROWS: MockedAnswer = { after: 0, executions: 1, outcome: () => okOutcome({ rows: [] }) };

const NULL: MockedAnswer = { after: 0, executions: 1, outcome: () => okOutcome(null) };

export class MockedWorld implements World {
  readonly calls: Call[] = [];
  /** Of two mocks with the same rank the rehearsal's own precedes the shared one, because the sort is stable. */
  readonly usages: readonly Usage[];
  /** The first of them. */
  unanswered: Unanswered | undefined;
  /** A call that is to be run, whose outcome is not known yet. */
  toRun: TaskCall | undefined;

  /** @param ran outcomes of calls that were run, by task run id; absent: none can be */
  constructor(
    private readonly rehearsal: Pick<Rehearsal, 'mocks' | 'defaults' | 'unmocked'>,
    private readonly ran?: ReadonlyMap<string, Outcome>,
  ) {
    const ranked = [...rehearsal.mocks].sort((a, b) => b.selector.rank - a.selector.rank);
    this.usages = ranked.map((mock) => ({ mock, used: 0 }));
  }

  answer(call: TaskCall, at: number): WorldAnswer | undefined {
    const entry: Call = { call, at };
    this.calls.push(entry);
    const match = this.find(call);
    if (!match) return undefined;
    const { after, executions, executes } = match;
    const outcome =
      executes && this.ran ? structuredClone(this.ran.get(call.task_run_id)) : match.outcome(call);
    if (!outcome) {
      this.toRun ??= call;
      return undefined;
    }
    entry.answer = { outcome, after, executions };
    return entry.answer;
  }

  cancelled({ task_run_id: id }: TaskCall, at: number): WorldAnswer {
    const entry = this.calls.findLast(({ call }) => call.task_run_id === id);
    if (entry) entry.cancelledAt ??= at;
    return { outcome: CANCELLED, after: 0 };
  }

  /** The next answer of the first mock that selects the call, or the default of its kind; `exhausted`: the mock has none left. */
  protected mocked(call: TaskCall): { readonly answer?: MockAnswer; readonly exhausted?: RehearsalMock } {
    const usage = this.usages.find(({ mock }) => selects(mock.selector, call));
    const { defaults } = this.rehearsal;
    if (!usage) return Object.hasOwn(defaults, call.kind) ? { answer: defaults[call.kind]! } : {};
    const answer = nth(usage.mock, usage.used);
    if (!answer) return { exhausted: usage.mock };
    usage.used++;
    return { answer };
  }

  private find(call: TaskCall): MockedAnswer | undefined {
    const { answer, exhausted } = this.mocked(call);
    if (answer) return answer;
    // After the last frame, there is nothing left to claim.
    if (call.claim && (exhausted || this.rehearsal.unmocked === 'null')) return NO_ROWS;
    if (!exhausted && this.rehearsal.unmocked === 'null') return NULL;
    this.unanswered ??= { call, exhausted: exhausted ?? null };
    return undefined;
  }
}

/** The answer of the call of that number (from 0): each answer may be used several times. */
function nth({ answers }: RehearsalMock, position: number): MockAnswer | undefined {
  let left = position;
  return answers.find(({ times }) => (left -= times) < 0);
}

/** How many calls the mock has answers for. */
export function answersOf({ answers }: RehearsalMock): number {
  return answers.reduce((sum, { times }) => sum + times, 0);
}
