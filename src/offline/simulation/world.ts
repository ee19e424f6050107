/** The world of a simulated run: a rehearsal, disturbed by faults that a seed draws. */
import { type TaskCall, taskTimeout } from '../../language/plan';
import { type WorldAnswer as Answered } from '../drive';
import { type MockAnswer, MockedWorld, type Rehearsal, wordsOfAnswer } from '../rehearsal';
import { type Faults, type RankedFaults } from './format/read';
import { type AllKinds, type Choice, type KindChoices } from './kinds';
import { type Random } from './random';

/** A fault that the seed drew, what the author says the tool answers, or the least that its kind can answer. */
type AnswerSource = 'fault' | 'author' | 'least';

/** How a call was answered. */
export interface Given {
  readonly call: TaskCall;
  readonly choice: Choice;
  readonly from: AnswerSource;
  /** Simulated milliseconds. */
  readonly after: number;
  readonly executions: number;
}

/** The faults of a call: of the most specific entries, key by key. Looked up once for each task. */
export class FaultsOfCalls {
  private readonly cache = new Map<string, Faults>();

  constructor(private readonly ranked: readonly RankedFaults[]) {}

  of(call: TaskCall): Faults {
    const key = `${call.step}/${call.task}[${call.iteration ?? ''}]`;
    let merged = this.cache.get(key);
    if (!merged) {
      const own = this.ranked.filter((one) => one.matches(call)).map(({ faults }) => faults);
      this.cache.set(key, (merged = Object.assign({}, ...own) as Faults));
    }
    return merged;
  }
}

const NOTHING = { mocks: [], defaults: {}, unmocked: 'fail' } as const;

export class DisturbedWorld extends MockedWorld {
  readonly given: Given[] = [];

  constructor(
    base: Rehearsal | undefined,
    private readonly faults: FaultsOfCalls,
    private readonly kinds: AllKinds,
    private readonly random: Random,
  ) {
    super(base ?? NOTHING);
  }

  override answer(call: TaskCall, at: number): Answered {
    const faults = this.faults.of(call);
    const kind = this.kinds.of(call.kind);
    let { choice, executions, from } = this.draw(call, faults, kind);
    const { delay } = faults;
    let after = delay ? this.random.between(...delay) : choice.answer.after;
    const limit = call.kind === 'playbook' ? Infinity : taskTimeout(call) * 1_000;
    if (after > limit) [choice, after, executions, from] = [kind.timeout, limit, 1, 'fault'];
    const outcome = choice.answer.outcome(call, after);
    this.calls.push({ call, at, answer: { outcome, after, executions } });
    this.given.push({ call, choice, from, after, executions });
    return { outcome, after };
  }

  /** Failures do not consume answers of the rehearsal: the next call gets the answer instead. */
  private draw(
    call: TaskCall,
    faults: Faults,
    kind: KindChoices,
  ): Pick<Given, 'choice' | 'executions' | 'from'> {
    const { failures = 0, lost = 0, duplicates = 0, errors } = faults;
    let drawn = this.random.next();
    if (drawn < failures) {
      const choice = errors ? chosen(this.random.of(errors), kind) : this.random.of(kind.errors);
      return { choice, executions: 1, from: 'fault' };
    }
    drawn -= failures;
    // A sub-playbook is a workflow of its own and is not lost with a worker.
    const isTool = call.kind !== 'playbook';
    if (isTool && drawn < lost) return { choice: kind.lost, executions: 1, from: 'fault' };
    const choice = this.planned(call, faults, kind);
    const twice = isTool && drawn >= lost && drawn - lost < duplicates;
    const { executions } = choice.answer;
    const from = choice === kind.least ? 'least' : 'author';
    return { choice, executions: twice ? Math.max(2, executions) : executions, from };
  }

  /** The source of answers in the absence of faults; of a mock that has none left, its last success. */
  private planned(call: TaskCall, { answers }: Faults, kind: KindChoices): Choice {
    if (answers && answers.length > 0) return chosen(this.weighted(answers), kind);
    const { answer, exhausted } = this.mocked(call);
    const isOk = (one: MockAnswer): boolean => one.outcome(call).status === 'ok';
    const planned = answer ?? (call.claim ? undefined : exhausted?.answers.findLast(isOk));
    return planned ? chosen(planned, kind) : kind.least;
  }

  private weighted(answers: readonly MockAnswer[]): MockAnswer {
    const weight = ({ times }: MockAnswer): number => (times === Infinity ? 1 : times);
    let left = this.random.between(
      1,
      answers.reduce((sum, one) => sum + weight(one), 0),
    );
    return answers.find((one) => (left -= weight(one)) <= 0)!;
  }
}

function chosen(answer: MockAnswer, { kind }: KindChoices): Choice {
  return { answer, words: () => wordsOfAnswer(answer, kind) };
}
