/** The triggers of a process: takes messages of those that are active, until it is stopped. Any number of processes may run. */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../language/errors';
import { type JsonObject, type TriggerPlan } from '../../language/plan';
import { type ProjectionLeases } from '../projection';
import { type TriggerCounters } from './counters';
import { type DeadLetters } from './dead-letters';
import { Dispatcher, type StartMessage } from './dispatcher';
import { type Source, type SourceConnection } from './source';
import { type TriggerStore } from './store';
import { Taker } from './taker';

/** The latest version of a subscription: its plan, or why there is none. */
export type TriggerPlanOf = (
  path: string,
) => Promise<{ readonly digest: string; readonly plan: TriggerPlan }>;

export interface TriggersOptions {
  readonly store: TriggerStore;
  readonly dead: DeadLetters;
  readonly counters: TriggerCounters;
  readonly start: StartMessage;
  /** @throws if the catalog has none, or this release finds errors in it */
  readonly planOf: TriggerPlanOf;
  readonly sources: ReadonlyMap<string, Source>;
  readonly credential: (
    name: string,
    path: string,
  ) => Promise<{ readonly name: string; readonly type?: string; readonly data: JsonObject }>;
  readonly surroundings: Pick<SourceConnection, 'databaseUrl' | 'resultOf'>;
  readonly leases: ProjectionLeases;
  readonly signal: AbortSignal;
  readonly report: (line: string) => void;
}

interface Running {
  readonly digest: string;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

const LOOK_MS = 1_000;
const SWEEP_MS = 3_600_000;

export class Triggers {
  private readonly running = new Map<string, Running>();
  private readonly dispatcher: Dispatcher;
  private sweptAt = -SWEEP_MS;

  constructor(private readonly options: TriggersOptions) {
    const { start, dead, counters } = options;
    this.dispatcher = new Dispatcher(start, dead, counters.note);
  }

  /** Until stopped; what is in hand is finished. */
  async run(): Promise<void> {
    const { signal, report, counters } = this.options;
    let lastReport = '';
    while (!signal.aborted) {
      try {
        await this.look();
        await counters.flush();
        lastReport = '';
      } catch (error) {
        const why = `triggers: the database cannot be read: ${messageOf(error)}`;
        if (why !== lastReport) report((lastReport = why));
      }
      await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
    for (const { stop } of this.running.values()) stop.abort();
    await Promise.all([...this.running.values()].map(({ done }) => done));
    await counters.flush();
  }

  private async look(): Promise<void> {
    const { store, dead } = this.options;
    const rows = await store.pulled();
    const active = new Set(rows.filter(({ state }) => state === 'ACTIVE').map((row) => row.trigger_id));
    for (const [id, { stop }] of this.running) if (!active.has(id)) stop.abort();
    for (const { trigger_id: id, path, state } of rows) {
      const running = this.running.get(id);
      if (state === 'DRAINING') {
        if (!running) await store.drained(id);
        continue;
      }
      try {
        const { digest, plan } = await this.options.planOf(path);
        if (running) {
          // A new version: what is in hand is finished by the one before.
          if (running.digest !== digest) running.stop.abort();
        } else this.begin(id, digest, plan);
      } catch (error) {
        running?.stop.abort();
        await store.trouble(id, messageOf(error));
      }
    }
    if (performance.now() - this.sweptAt < SWEEP_MS) return;
    await dead.expire();
    this.sweptAt = performance.now();
  }

  private begin(id: string, digest: string, plan: TriggerPlan): void {
    const stop = new AbortController();
    const done = this.taking(id, plan, stop)
      .catch((error: unknown) => this.options.store.trouble(id, messageOf(error)))
      .catch(() => undefined)
      .finally(() => this.running.delete(id));
    this.running.set(id, { digest, stop, done });
  }

  /** One process at a time has a source that cannot be shared, or a limit that counts for all. */
  private async taking(id: string, plan: TriggerPlan, stop: AbortController): Promise<void> {
    const { sources, leases, store } = this.options;
    const source = sources.get(plan.source);
    if (!source)
      throw new Error(`this process has no source called ${plan.source}: NOETL_EXTENSIONS names its module`);
    const alone = !source.shared || Object.keys(plan.limits).length > 0;
    const release = alone ? await leases.take(`trigger/${id}`, () => stop.abort()) : undefined;
    if (alone && !release) return;
    const { signal } = stop;
    try {
      const taker = new Taker({
        trigger: { id, plan },
        open: async () => await source.open(await this.connection(id, plan), signal),
        dispatcher: this.dispatcher,
        holds: source.holds === true,
        trouble: (why) => store.trouble(id, why),
        lag: (count) => store.noteLag(id, count),
        signal,
      });
      await taker.run(source.shared ? plan.workers : 1);
    } finally {
      await release?.();
    }
  }

  private async connection(
    id: string,
    { metadata: { path }, auth, connection: spec }: TriggerPlan,
  ): Promise<SourceConnection> {
    const credential =
      auth === undefined ? { name: '', data: {} } : await this.options.credential(auth, path);
    return { id, path, spec, credential, ...this.options.surroundings };
  }
}
