/** Remaining micro-steps, first in, first out. */
import { type QueuedWork } from './state';

/** A drained queue longer than this is not reused. */
const KEPT = 64;

/** A list whose slots are reused: an execution makes ten micro-steps per task, two or three at a time. */
export class WorkQueue {
  private items: (QueuedWork | undefined)[];
  private head = 0;
  private tail: number;

  constructor(work: readonly QueuedWork[]) {
    this.items = [...work];
    this.tail = work.length;
  }

  get isEmpty(): boolean {
    return this.head === this.tail;
  }

  push(work: QueuedWork): void {
    if (this.tail === this.items.length) this.items.push(work);
    else this.items[this.tail] = work;
    this.tail++;
  }

  shift(): QueuedWork | undefined {
    if (this.isEmpty) return undefined;
    const first = this.items[this.head];
    this.items[this.head++] = undefined;
    if (this.isEmpty) this.clear();
    return first;
  }

  clear(): void {
    if (!this.isEmpty || this.items.length > KEPT) this.items = [];
    this.head = 0;
    this.tail = 0;
  }

  /** As plain JSON. */
  toList(): QueuedWork[] {
    return this.items.slice(this.head, this.tail) as QueuedWork[];
  }
}
