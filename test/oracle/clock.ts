/** Virtual time: flows that wait, are resumed in order, and can be stopped. */

/** What a flow waits for: a time, or that a gate opens. */
export type Wait = { readonly until: number } | Gate;
/** A piece of work that takes virtual time. */
export type Flow<T> = Generator<Wait, T, void>;

/** Opens when something has happened; flows wait at it. */
export class Gate {
  readonly waiting: Process[] = [];
}

/** A flow on its way. */
export class Process {
  isOver = false;
  constructor(readonly flow: Flow<void>) {}
}

/** A playbook that goes on for ever, as far as can be told. */
export class Endless extends Error {}
const MOST_TURNS = 600;

export class Clock {
  now = 0;
  private turn = 0;
  private queue: { at: number; turn: number; process: Process }[] = [];

  /** Starts a flow: it begins when those that are due before it have had their turn. */
  start(flow: Flow<void>): Process {
    const process = new Process(flow);
    this.enqueue(process, this.now);
    return process;
  }

  /** Ends a flow: nothing of it happens any more, except its `finally`. */
  stop(process: Process): void {
    if (process.isOver) return;
    process.isOver = true;
    process.flow.return();
  }

  open(gate: Gate): void {
    for (const process of gate.waiting.splice(0)) this.enqueue(process, this.now);
  }

  /** Runs until nothing is left that can happen, or `isOver` says so. */
  run(isOver: () => boolean): void {
    for (let turns = 0; !isOver(); turns++) {
      if (turns > MOST_TURNS) throw new Endless();
      const next = this.earliest();
      if (!next) return;
      if (next.process.isOver) continue;
      this.now = Math.max(this.now, next.at);
      this.resume(next.process);
    }
  }

  private resume(process: Process): void {
    const { done, value } = process.flow.next();
    if (done) process.isOver = true;
    else if (value instanceof Gate) value.waiting.push(process);
    else this.enqueue(process, value.until);
  }

  private enqueue(process: Process, at: number): void {
    this.queue.push({ at, turn: this.turn++, process });
  }

  private earliest(): { at: number; process: Process } | undefined {
    this.queue.sort((a, b) => a.at - b.at || a.turn - b.turn);
    return this.queue.shift();
  }
}
