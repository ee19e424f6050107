/** Default answers and typical failures of calls, by kind. */
import { type ToolKinds } from '../../language/dsl/kinds';
import { type JsonObject, type Outcome, type TaskCall } from '../../language/plan';
import { errorOutcome, type MockedAnswer, mockedKind, type MockedKind, leastOutcome } from '../rehearsal';

/** An answer that can be written in a rehearsal. */
export interface Choice {
  readonly answer: MockedAnswer;
  /** In short form, without duration and executions. */
  readonly words: () => JsonObject;
}

/** A failure, as `error` in rehearsals. */
function failing(error: JsonObject, kind: MockedKind): Choice {
  return {
    words: () => ({ error: Object.keys(error).join() === 'kind' ? error['kind']! : error }),
    answer: { after: 0, executions: 1, outcome: () => errorOutcome(error, kind) },
  };
}

/** Everything that the simulation knows of one kind. */
export class KindChoices {
  readonly least: Choice;
  readonly errors: readonly Choice[];
  readonly lost: Choice;
  readonly timeout: Choice;

  constructor(readonly kind: MockedKind) {
    const { mock, failures = [{ kind: mock?.failure ?? 'exception' }] } = kind;
    const words = mock?.least ?? { result: {} };
    const outcome = (call: Pick<TaskCall, 'config'>, ms = 0): Outcome => leastOutcome(kind, call, ms);
    this.least = { words: () => words, answer: { after: 0, executions: 1, outcome } };
    this.timeout = failing({ kind: 'timeout' }, kind);
    this.lost = failing({ kind: 'worker_lost' }, kind);
    // Every kind can also time out.
    this.errors = [...failures.map((error) => failing(error, kind)), this.timeout];
  }
}

/** The choices of each kind, made once. */
export class AllKinds {
  private readonly choices = new Map<string, KindChoices>();

  constructor(private readonly extensions: ToolKinds) {}

  of(name: string): KindChoices {
    let choices = this.choices.get(name);
    if (!choices) this.choices.set(name, (choices = new KindChoices(mockedKind(name, this.extensions))));
    return choices;
  }
}
