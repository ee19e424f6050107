/** Limits by key in a simulation: the keepers themselves, and the other executions that a rehearsal names. */
import { type Input } from '../../engine/machine';
import { type Keeper, keeperOf } from '../../engine/limits';
import { type LimitCall, type LimitRequest } from '../../language/plan';
import { type Happening } from './happenings';

/** Another execution that asks for the same limit with the same key. Times in milliseconds after the start. */
export interface OtherExecution {
  readonly execution: string;
  /** 0: it asked before the simulated execution. */
  readonly arrives: number;
  /** Undefined: not during the simulation. */
  readonly ends?: number;
}

export class Keepers {
  private readonly keepers = new Map<string, Keeper>();
  private now = 0;
  private happenings: Happening[] = [];

  /** @param start milliseconds since the epoch */
  constructor(
    private readonly others: readonly OtherExecution[],
    private readonly start: number,
  ) {}

  /** The answers that the simulated execution gets to its request, and when. */
  ask(call: LimitCall, now: number): readonly Happening[] {
    this.happenings = [];
    // Asked again (after a pause): the answer is already scheduled.
    if (call.kept.of !== 'rate' && this.keepers.has(call.keeper)) return [];
    const keeper = this.keeperOf(call);
    const request = { ...call.request, workflow: call.request.execution };
    const timeline = [
      ...(call.kept.of === 'rate' ? [] : this.others.flatMap((other) => this.actsOf(other, keeper, request))),
      { at: now, act: (at: number) => keeper.ask(request, at) },
    ];
    // The sort is stable, but others that asked at the same time are listed first.
    for (const { at, act } of timeline.sort((a, b) => a.at - b.at)) {
      this.elapse(keeper, at);
      this.now = at;
      act(at);
    }
    if (call.kept.of === 'debounce') this.elapse(keeper, Infinity);
    return this.happenings;
  }

  private elapse(keeper: Keeper, until: number): void {
    for (let due = keeper.due; due !== undefined && due <= until; due = keeper.due) {
      this.now = due;
      keeper.elapse(due);
    }
  }

  private actsOf({ execution, arrives, ends }: OtherExecution, keeper: Keeper, original: LimitRequest) {
    const request = { ...original, execution, workflow: execution };
    return [
      { at: this.start + arrives, act: (at: number) => keeper.ask(request, at) },
      ...(ends === undefined
        ? []
        : [{ at: this.start + ends, act: (at: number) => keeper.leave(execution, at) }]),
    ];
  }

  private keeperOf({ keeper: id, kept, request }: LimitCall): Keeper {
    const existing = this.keepers.get(id);
    if (existing) return existing;
    const isOurs = (execution: string): boolean => execution === request.execution;
    const keeper: Keeper = keeperOf(
      { kept },
      {
        answer: ({ execution }, answer) => {
          const input: Input = { type: 'limitAnswered', answer: { keeper: id, execution, ...answer } };
          if (isOurs(execution)) this.happenings.push({ at: this.now, input });
        },
        cancel: ({ execution }, reason) => {
          if (isOurs(execution))
            this.happenings.push({ at: this.now, input: { type: 'cancelRequested', reason } });
          else keeper.leave(execution, this.now);
        },
      },
    );
    this.keepers.set(id, keeper);
    return keeper;
  }
}
