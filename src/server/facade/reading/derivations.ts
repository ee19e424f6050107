/**
 * Derivations that are under way or done, by what they derive. One that takes longer than a client should wait goes on;
 * whoever asks again gets its result, or hears how far it is. One that nobody waits for is given up.
 */
import { type Client } from '@temporalio/client';
import { type Response } from 'express';
import { messageOf } from '../../../language/errors';
import { described } from '../executions/described';
import { type ReadingProgress } from '../../reading/host';
import { FRESH_MS, KEPT_MS, LINGER_MS, LONGEST_PATIENCE_MS, PATIENCE_MS, WORK_MS } from './thread-bounds';

/** It takes longer than its client should wait. */
export class Deriving {
  constructor(readonly progress: ReadingProgress) {}
}

interface Derivation<T> {
  readonly id: string;
  readonly result: Promise<T>;
  readonly progress: ReadingProgress;
  readonly abort: AbortController;
  value?: { readonly of: T; readonly at: number };
  hasFailed?: boolean;
  /** The history it derives: set once it has taken long. */
  version?: string;
  waiting: number;
  idle?: NodeJS.Timeout;
}

export interface DerivationWork<T> {
  readonly id: string;
  /** Two with the same key derive the same. */
  readonly key: string;
  /** Not given: it is not waited for by a connection that can close. */
  readonly response?: Response;
  readonly run: (progress: ReadingProgress, signal: AbortSignal) => Promise<T>;
}

export class Derivations<T> {
  private readonly all = new Map<string, Derivation<T>>();

  /**
   * @param isBusy whether work waits for other work to end
   * @param kept the limit of the sizes of results that are kept; `always`: also those that were quick, however old
   * @param drop releases one that is no longer kept
   */
  constructor(
    private readonly client: Client,
    private readonly isBusy: () => boolean,
    private readonly kept: {
      readonly limit: number;
      readonly sizeOf: (value: T) => number;
      readonly always: boolean;
    },
    private readonly drop: (value: T) => void = () => undefined,
  ) {}

  /**
   * @param use of the result, which is kept that long; what it tells to be derived still is kept for those who come again
   * @throws errors of the work and of `use`
   */
  async use<R>(
    work: DerivationWork<T>,
    use: (value: T) => R | Deriving | Promise<R | Deriving>,
  ): Promise<R | Deriving> {
    const earlier = this.all.get(work.key);
    if (earlier?.value && earlier.waiting === 0 && !(await this.isFresh(earlier, earlier.value.at)))
      this.forget(work.key, earlier);
    const derivation = this.all.get(work.key) ?? this.begin(work);
    derivation.waiting++;
    clearTimeout(derivation.idle);
    try {
      const state = await this.within(derivation, work.response);
      const used = state instanceof Deriving ? state : await use(state.value);
      if (used instanceof Deriving) this.note(derivation);
      return used;
    } catch (error) {
      // Of a result that turned out to be of no use: the next one begins anew.
      if (this.all.get(work.key) === derivation) this.all.delete(work.key);
      throw error;
    } finally {
      derivation.waiting--;
      this.settle(work.key, derivation, work.response?.destroyed ?? false);
    }
  }

  private begin({ id, key, run }: DerivationWork<T>): Derivation<T> {
    const abort = new AbortController();
    const progress: ReadingProgress = { history_events: 0, events: 0 };
    const result = run(progress, abort.signal);
    const derivation: Derivation<T> = { id, progress, abort, waiting: 0, result };
    this.all.set(key, derivation);
    result.then(
      (of) => (derivation.value = { of, at: performance.now() }),
      () => {
        derivation.hasFailed = true;
        this.all.delete(key);
      },
    );
    return derivation;
  }

  /** The result, or after a while how far it is. */
  private async within(
    { result, progress }: Derivation<T>,
    response?: Response,
  ): Promise<{ readonly value: T } | Deriving> {
    const began = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<Deriving>((resolve) => {
      const leave = (): void => resolve(new Deriving(progress));
      response?.once('close', leave);
      let read: number | undefined;
      let before = process.cpuUsage();
      timer = setInterval(() => {
        const now = performance.now();
        if (progress.history_events > 0 && read === undefined) {
          read = now;
          before = process.cpuUsage();
        }
        const { user, system } = process.cpuUsage(before);
        // On a busy machine a short history takes time too, but no work.
        const isAtWork = (user + system) / 1000 > WORK_MS;
        const isLong = read !== undefined && now - began > PATIENCE_MS && isAtWork;
        const isQueued = read === undefined && now - began > PATIENCE_MS && this.isBusy();
        if (isLong || isQueued || now - began > LONGEST_PATIENCE_MS) leave();
      }, 50);
    });
    try {
      return await Promise.race([result.then((value) => ({ value })), patience]);
    } finally {
      clearInterval(timer);
    }
  }

  /** What was quick is not kept: the next one sees what happened since. */
  private settle(key: string, derivation: Derivation<T>, hasLeft: boolean): void {
    const { value, waiting, abort, hasFailed } = derivation;
    if (hasFailed) return;
    if (value && derivation.version === undefined && waiting === 0 && !this.kept.always)
      return this.forget(key, derivation);
    if (!value) this.note(derivation);
    if (waiting > 0) return;
    const give = (): void => {
      abort.abort();
      this.forget(key, derivation);
    };
    if (!value && hasLeft) return give();
    derivation.idle = setTimeout(give, value ? KEPT_MS : LINGER_MS).unref();
    this.shrink();
  }

  /** It has taken long: it is kept. */
  private note(derivation: Derivation<T>): void {
    if (derivation.version !== undefined) return;
    derivation.version = '';
    void this.versionOf(derivation.id).then((version) => (derivation.version = version));
  }

  private async isFresh({ id, version }: Derivation<T>, at: number): Promise<boolean> {
    return this.kept.always || performance.now() - at < FRESH_MS || (await this.versionOf(id)) === version;
  }

  private async versionOf(id: string): Promise<string> {
    try {
      const { runId, historyLength } = await described(this.client, id);
      return `${runId}/${historyLength}`;
    } catch (error) {
      return messageOf(error);
    }
  }

  private forget(key: string, derivation: Derivation<T>): void {
    clearTimeout(derivation.idle);
    if (this.all.get(key) === derivation) this.all.delete(key);
    if (derivation.value) this.drop(derivation.value.of);
  }

  /** The oldest are forgotten first. */
  private shrink(): void {
    let size = 0;
    for (const [key, derivation] of [...this.all].reverse()) {
      if (!derivation.value) continue;
      size += this.kept.sizeOf(derivation.value.of);
      if (size > this.kept.limit && derivation.waiting === 0) this.forget(key, derivation);
    }
  }
}
