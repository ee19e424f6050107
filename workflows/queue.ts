/**
 * The queue between Temporal and the engine. Two rules make history replayable offline
 * (docs/design/history.md#the-two-rules-of-the-driver): nothing is pushed synchronously inside a job, and each workflow
 * task consumes everything as one batch, external inputs first, completions sorted by key.
 */
import { ApplicationFailure } from '@temporalio/common';
import { type Command, type Input } from '../src/engine/machine';
import { type EventUpdateAnswer } from '../src/temporal/contract/definitions';

interface Asker {
  readonly id: string;
  readonly answer: (answer: EventUpdateAnswer) => void;
  readonly refuse: (error: Error) => void;
}

export class InputQueue {
  private external: Input[] = [];
  private completions: { key: string; input: Input }[] = [];
  private askers: Asker[] = [];
  private isClosed = false;
  /** Temporal itself was asked to cancel the run: only then does it record the end as a cancellation. */
  isCancelRequested = false;

  get isEmpty(): boolean {
    return this.external.length === 0 && this.completions.length === 0;
  }

  /** Temporal's own request, which carries no reason. */
  cancel(): void {
    this.isCancelRequested = true;
    this.pushExternal({ type: 'cancelRequested' });
  }

  /** The request to cancel among what has arrived, with its reason if one was given; undefined without. */
  get cancelAsked(): Extract<Input, { type: 'cancelRequested' }> | undefined {
    const cancels = this.external.filter((input) => input.type === 'cancelRequested');
    return cancels.find(({ reason }) => reason !== undefined) ?? cancels[0];
  }

  /** From a signal or update handler, or a cancellation: pushed in a microtask. */
  pushExternal(input: Input): void {
    void Promise.resolve().then(() => this.external.push(input));
  }

  /** An external event; resolves when the engine has processed it. Rejects when the execution has ended by then. */
  askExternal(input: Extract<Input, { type: 'externalEvent' }> & { id: string }): Promise<EventUpdateAnswer> {
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

  /** Takes all inputs, in canonical order. */
  take(): Input[] {
    const completions = this.completions.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    const inputs = [...this.external, ...completions.map(({ input }) => input)];
    this.external = [];
    this.completions = [];
    return inputs;
  }

  /** Replies to the first sender with that id. */
  answer({ id, taken, duplicate, refused }: Extract<Command, { type: 'answerEvent' }>): void {
    const position = this.askers.findIndex((asker) => asker.id === id);
    if (position < 0) return;
    const answer = { taken: taken ? 1 : 0, duplicate, ...(refused !== undefined && { refused }) } as const;
    this.askers.splice(position, 1)[0]!.answer(answer);
  }

  /** The execution is over: rejects all remaining senders. */
  close(): void {
    this.isClosed = true;
    for (const { refuse } of this.askers.splice(0)) refuse(executionOver());
  }
}

function executionOver(): ApplicationFailure {
  return ApplicationFailure.nonRetryable('the execution is over', 'EXECUTION_OVER');
}
