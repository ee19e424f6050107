/**
 * What keepers have in common: each is a deterministic state machine that its workflow (workflows/limit.ts) drives. It
 * knows no Temporal: messages go to an outbox.
 */
import { type Asker, type KeeperView, type LimitAnswer, type LimitRequest } from '../../language/plan';

type OfEach<T> = T extends unknown ? Omit<T, 'keeper' | 'execution'> : never;
/** An answer without its address. */
export type KeeperAnswer = OfEach<LimitAnswer>;

export interface KeeperOutbox {
  answer(to: Asker, answer: KeeperAnswer): void;
  /** Cancels an execution for this reason. */
  cancel(whom: Asker, reason: string): void;
}

/** All times are in milliseconds since the epoch. */
export interface Keeper {
  ask(request: LimitRequest, now: number): void;
  /** The execution has ended, or can no longer be reached. */
  leave(execution: string, now: number): void;
  /** When to call `elapse`; undefined: never. */
  readonly due: number | undefined;
  elapse(now: number): void;
  /** Executions that others wait for: they may have ended without saying so. */
  readonly suspects: readonly Asker[];
  /** There is nothing to remember. */
  readonly isIdle: boolean;
  readonly view: Pick<KeeperView, 'limit' | 'holders' | 'waiting'>;
  /** Plain JSON. */
  readonly state: object;
}

export interface KeeperEntry extends Asker {
  readonly since: number;
}

/** So many holders are told to each that waits. */
const MOST_TOLD = 20;

export function holderNames(holders: readonly KeeperEntry[]): string[] {
  return holders.slice(0, MOST_TOLD).map(({ execution }) => execution);
}

export function shown({ execution, since }: KeeperEntry): { execution_id: string; since: number } {
  return { execution_id: execution, since };
}

export function isSame(a: Asker, b: Asker): boolean {
  return a.execution === b.execution && a.workflow === b.workflow;
}
