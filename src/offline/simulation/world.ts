/** The world of a simulated run: a rehearsal, disturbed by faults that a seed draws. */
import { type TaskCall, taskTimeout } from '../../language/plan';
import { type WorldAnswer as Answered, CANCELLED, type World } from '../drive';
import {
  type MockAnswer,
  type Call,
  markCancelled,
  nth,
  type Rehearsal,
  selects,
  type Usage,
  usagesOf,
  wordsOfAnswer,
} from '../rehearsal';
import { type Faults, type RankedFaults } from './format/simulation';
import { type AllKinds, type Choice, type KindChoices } from './kinds';
import { type Random } from './random';

/** How a call was answered. */
export interface Given {
  readonly call: TaskCall;
  readonly choice: Choice;
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

export class DisturbedWorld implements World {
  readonly calls: Call[] = [];
  readonly given: Given[] = [];
  private readonly usages: readonly Usage[];

  constructor(
    private readonly base: Rehearsal | undefined,
    private readonly faults: FaultsOfCalls,
    private readonly kinds: AllKinds,
    private readonly random: Random,
  ) {
    this.usages = base ? usagesOf(base) : [];
  }

  answer(call: TaskCall, at: number): Answered {
    const faults = this.faults.of(call);
    const kind = this.kinds.of(call.kind);
    let { choice, executions } = this.draw(call, faults, kind);
    const { delay } = faults;
    let after = delay ? this.random.between(...delay) : choice.answer.after;
    const limit = call.kind === 'playbook' ? Infinity : taskTimeout(call) * 1_000;
    if (after > limit) [choice, after, executions] = [kind.timeout, limit, 1];
    const outcome = choice.answer.outcome(call, after);
    this.calls.push({ call, at, answer: { outcome, after, executions } });
    this.given.push({ call, choice, after, executions });
    return { outcome, after };
  }

  cancelled(call: TaskCall, at: number): Answered {
    markCancelled(this.calls, call, at);
    return { outcome: CANCELLED, after: 0 };
  }

  /** Failures do not consume answers of the rehearsal: the next call gets the answer instead. */
  private draw(call: TaskCall, faults: Faults, kind: KindChoices): Pick<Given, 'choice' | 'executions'> {
    const { failures = 0, lost = 0, duplicates = 0, errors } = faults;
    let drawn = this.random.next();
    if (drawn < failures) {
      const choice = errors ? chosen(this.random.of(errors), kind) : this.random.of(kind.errors);
      return { choice, executions: 1 };
    }
    drawn -= failures;
    // A sub-playbook is a workflow of its own and is not lost with a worker.
    const isTool = call.kind !== 'playbook';
    if (isTool && drawn < lost) return { choice: kind.lost, executions: 1 };
    const choice = this.planned(call, faults, kind);
    const twice = isTool && drawn >= lost && drawn - lost < duplicates;
    return { choice, executions: twice ? Math.max(2, choice.answer.executions) : choice.answer.executions };
  }

  /** The source of answers in the absence of faults. */
  private planned(call: TaskCall, { answers }: Faults, kind: KindChoices): Choice {
    if (answers && answers.length > 0) return chosen(this.weighted(answers), kind);
    const usage = this.usages.find(({ mock }) => selects(mock.selector, call));
    if (usage) {
      const next = nth(usage.mock, usage.used);
      if (next) {
        usage.used++;
        return chosen(next, kind);
      }
      const last = usage.mock.answers.findLast((one) => one.outcome(call).status === 'ok');
      return last ? chosen(last, kind) : kind.least;
    }
    const otherwise = this.base?.defaults[call.kind];
    return otherwise ? chosen(otherwise, kind) : kind.least;
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

/** Answers that runs have in common are converted once. */
const CHOICES = new WeakMap<MockAnswer, Choice>();

function chosen(answer: MockAnswer, { kind }: KindChoices): Choice {
  const predefined = CHOICES.get(answer);
  if (predefined) return predefined;
  const choice = { answer, words: () => wordsOfAnswer(answer, kind) };
  CHOICES.set(answer, choice);
  return choice;
}
