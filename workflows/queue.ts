/**
 * The queue between Temporal and the engine. Two rules make history replayable offline
 * (docs/design/history.md#the-two-rules-of-the-driver): nothing is pushed synchronously inside a job, and each
 * wake-up takes everything as one batch, external inputs first, completions sorted by their key.
 */
import { ApplicationFailure } from '@temporalio/common';
import { type Command, type Input } from '../src/engine';
import { type EventAnswer } from './contract';

interface Asker {
  readonly id: string;
  readonly answer: (answer: EventAnswer) => void;
  readonly refuse: (error: Error) => void;
}

export class InputQueue {
  private external: Input[] = [];
  private completions: { key: string; input: Input }[] = [];
  private askers: Asker[] = [];
  private isClosed = false;
  /** Temporal itself was asked to cancel the run: only then does it call the end a cancellation. */
  isCancelRequested = false;

  get isEmpty(): boolean {
    return this.external.length === 0 && this.completions.length === 0;
  }

  /** Temporal's own request, which knows no reason. */
  cancel(): void {
    this.isCancelRequested = true;
    this.pushExternal({ type: 'cancelRequested' });
  }

  /** From a signal or update handler, or a cancellation: lands in a microtask. */
  pushExternal(input: Input): void {
    void Promise.resolve().then(() => this.external.push(input));
  }

  /** An external event, answered when the engine has taken it in. Rejects when the execution is over by then. */
  askExternal(input: Extract<Input, { type: 'externalEvent' }> & { id: string }): Promise<EventAnswer> {
    return new Promise((answer, refuse) => {
      if (this.isClosed) return refuse(executionOver());
      this.askers.push({ id: input.id, answer, refuse });
      this.pushExternal(input);
    });
  }

  /** From the continuation of an activity, timer or child, which is a microtask already. */
  pushCompletion(key: string, input: Input): void {
    this.completions.push({ key, input });
  }

  /** Everything, in canonical order. */
  take(): Input[] {
    const completions = this.completions.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    const inputs = [...this.external, ...completions.map(({ input }) => input)];
    this.external = [];
    this.completions = [];
    return inputs;
  }

  /** Answers the first who asked with that id. */
  answer({ id, taken, duplicate }: Extract<Command, { type: 'answerEvent' }>): void {
    const position = this.askers.findIndex((asker) => asker.id === id);
    if (position >= 0) this.askers.splice(position, 1)[0]!.answer({ taken: taken ? 1 : 0, duplicate });
  }

  /** The execution is over: nobody who asks is left without an answer. */
  close(): void {
    this.isClosed = true;
    for (const { refuse } of this.askers.splice(0)) refuse(executionOver());
  }
}

function executionOver(): ApplicationFailure {
  return ApplicationFailure.nonRetryable('the execution is over', 'EXECUTION_OVER');
}
