/**
 * Two executions compared while their events come: what both have to the end (an iteration, a step run) is compared and
 * forgotten, so that memory grows with what differs, and with how far apart the two do the same, not with their length.
 */
import { type CanonicalEvent } from '../events';
import {
  compareAll,
  compareOne,
  type ExecutionComparison,
  type ExecutionDifference,
  type Timing,
  emptySummary,
  type ComparedExecution,
  noteEvent,
} from './diff';

type Kind = 'step' | 'task';
const KINDS = ['step', 'task'] as const;

/** Found early: `order` is that of the whole comparison. */
interface Ordered<T> {
  readonly order: number;
  readonly of: T;
}

class Side {
  readonly summary: ComparedExecution = emptySummary();
  isOver = false;
  /** Events. */
  count = 0;
  /** In which order steps and tasks began. */
  readonly begun: Record<Kind, Map<string, number>> = { step: new Map(), task: new Map() };
  private next = 0;
  /** Tasks that are under way, by iteration or step run. */
  private readonly tasks = new Map<string, Set<string>>();
  /** What ended in the portion before: events that belong to it may have followed. */
  private ended: Record<Kind, string[]> = { step: [], task: [] };
  readonly complete: Record<Kind, Set<string>> = { step: new Set(), task: new Set() };

  take(events: readonly CanonicalEvent[]): void {
    const { ended } = this;
    this.ended = { step: [], task: [] };
    for (const event of events) this.event(event);
    this.count += events.length;
    for (const kind of KINDS)
      for (const id of ended[kind]) if (this.map(kind).has(id)) this.complete[kind].add(id);
  }

  map(kind: Kind): Map<string, object> {
    return kind === 'step' ? this.summary.steps : this.summary.tasks;
  }

  forget(kind: Kind, id: string): void {
    this.map(kind).delete(id);
    this.begun[kind].delete(id);
    this.complete[kind].delete(id);
  }

  private event(event: CanonicalEvent): void {
    noteEvent(this.summary, event);
    const { event_type, step_run_id: run, task_run_id: task, iteration } = event;
    for (const [kind, id] of [['step', run] as const, ['task', task] as const])
      if (id !== undefined && this.map(kind).has(id) && !this.begun[kind].has(id))
        this.begun[kind].set(id, this.next++);
    if (run === undefined) return;
    const place = iteration === undefined ? run : `${run}[${iteration}]`;
    if (task !== undefined && this.map('task').has(task)) {
      const tasks = this.tasks.get(place) ?? new Set();
      this.tasks.set(place, tasks.add(task));
    }
    if (event_type === 'loop.iteration.done' || event_type === 'loop.iteration.failed') this.ends(place);
    else if (event_type === 'step.done' || event_type === 'step.failed' || event_type === 'step.skipped') {
      this.ends(run);
      this.ended.step.push(run);
    }
  }

  private ends(place: string): void {
    for (const task of this.tasks.get(place) ?? []) this.ended.task.push(task);
    this.tasks.delete(place);
  }
}

export class Alignment {
  private readonly a = new Side();
  private readonly b = new Side();
  private readonly differences: Record<Kind, Ordered<ExecutionDifference>[]> = { step: [], task: [] };
  private readonly timings: Ordered<Timing>[] = [];
  /** Entries of both sides in memory at the same time, at most. */
  most = 0;

  /** The side whose events are to be taken next; undefined if both are over. */
  get next(): 'a' | 'b' | undefined {
    const { a, b } = this;
    if (a.isOver && b.isOver) return undefined;
    if (a.isOver || b.isOver) return a.isOver ? 'b' : 'a';
    return a.count <= b.count ? 'a' : 'b';
  }

  /** @param events undefined: there are no more */
  take(name: 'a' | 'b', events: readonly CanonicalEvent[] | undefined): void {
    const side = this[name];
    if (events) side.take(events);
    else side.isOver = true;
    const { steps, tasks } = this.a.summary;
    this.most = Math.max(
      this.most,
      steps.size + tasks.size + this.b.summary.steps.size + this.b.summary.tasks.size,
    );
    for (const kind of KINDS) for (const id of side.complete[kind]) this.release(kind, id);
    // Nothing is waited for any more that the other one would have to have.
    if (!events)
      for (const kind of KINDS) for (const id of this.other(side).complete[kind]) this.release(kind, id);
  }

  /** Once both are over. */
  comparison(): ExecutionComparison {
    const { a, b, differences, timings } = this;
    for (const kind of KINDS)
      for (const id of new Set([...a.map(kind).keys(), ...b.map(kind).keys()])) this.compare(kind, id);
    return compareAll(a.summary, b.summary, {
      steps: inOrder(differences.step),
      tasks: inOrder(differences.task),
      timings: inOrder(timings),
    });
  }

  private other(side: Side): Side {
    return side === this.a ? this.b : this.a;
  }

  private release(kind: Kind, id: string): void {
    const isIn = (side: Side): boolean =>
      side.complete[kind].has(id) || (side.isOver && side.map(kind).has(id));
    const isMissing = (side: Side): boolean => side.isOver && !side.map(kind).has(id);
    const [here, there] = [this.a, this.b];
    if ((isIn(here) && (isIn(there) || isMissing(there))) || (isMissing(here) && isIn(there)))
      this.compare(kind, id);
  }

  private compare(kind: Kind, id: string): void {
    const { a, b } = this;
    const order = a.begun[kind].get(id) ?? 2 ** 40 + (b.begun[kind].get(id) ?? 0);
    const { differences, timing } = compareOne(kind, id, a.map(kind).get(id), b.map(kind).get(id));
    for (const of of differences) this.differences[kind].push({ order, of });
    if (timing) this.timings.push({ order, of: timing });
    for (const side of [a, b]) side.forget(kind, id);
  }
}

function inOrder<T>(list: readonly Ordered<T>[]): T[] {
  return [...list].sort((one, other) => one.order - other.order).map(({ of }) => of);
}
