/** Subscriptions of the catalog as triggers: their plans, their rows, and where their requests arrive. */
import { hasCode } from '../../../language/errors';
import { type KnownTrigger, type TriggerPlan, type TriggerState } from '../../../language/plan';
import { type CatalogEntry, type Database } from '../../store';
import { type TriggerAtWork, TriggerStore } from '../../triggers';
import { FacadeError } from '../http/errors';
import { type Threads } from '../threads/threads';
import { invalidDocument } from './diagnostics';
import { type Library } from './library';
import { entryOf } from './reference';

export interface ListeningTrigger extends KnownTrigger {
  readonly state: TriggerState;
}

interface Listening {
  readonly at: number;
  readonly rows: Promise<ReadonlyMap<string, TriggerAtWork>>;
  readonly plans: Map<string, Promise<{ readonly plan: TriggerPlan }>>;
}

/** How long a state that was changed elsewhere may not be known. */
const FRESH_MS = 1_000;
const KEPT_PLANS = 200;

export class TriggerLibrary {
  readonly store: TriggerStore;
  private readonly plans = new Map<string, TriggerPlan>();
  private listening: Listening | undefined;

  constructor(
    database: Pick<Database, 'rows'>,
    private readonly library: Library,
    private readonly threads: Threads,
  ) {
    this.store = new TriggerStore(database);
  }

  /** @throws FacadeError 404, 400 `NOT_A_SUBSCRIPTION`, 422 */
  async planOf(path: string): Promise<{ digest: string; plan: TriggerPlan }> {
    const entry = await entryOf(this.library.catalog, { path }, 'Subscription');
    if (entry.kind !== 'subscription')
      throw new FacadeError(
        400,
        'NOT_A_SUBSCRIPTION',
        `${entry.path} is a resource of kind ${entry.kind}, not Subscription`,
      );
    return { digest: entry.digest, plan: await this.compiled(entry) };
  }

  /** Of one that the catalog has got a new version of. @returns what is to be said */
  async registered(entry: CatalogEntry): Promise<string[]> {
    try {
      await this.store.register(await this.compiled(entry));
      this.changed();
      return [];
    } catch (error) {
      if (hasCode(error, 'TRIGGER_ADDRESS_TAKEN')) return [`${error.message}: requests go to that one`];
      throw error;
    }
  }

  /** What listens at an address. Whoever tries many addresses asks the database no more often, and fills no memory. */
  async at(listener: string): Promise<ListeningTrigger | undefined> {
    if (!this.listening || performance.now() - this.listening.at > FRESH_MS) {
      const fresh = { at: performance.now(), rows: this.store.listening(), plans: new Map() };
      fresh.rows.catch(() => (this.listening = undefined));
      this.listening = fresh;
    }
    const { rows, plans } = this.listening;
    const row = (await rows).get(listener);
    if (!row) return undefined;
    const plan = plans.get(listener) ?? this.planOf(row.path);
    plans.set(listener, plan);
    return { id: row.trigger_id, state: row.state, plan: (await plan).plan };
  }

  /** Somebody here has changed a state. */
  changed(): void {
    this.listening = undefined;
  }

  private async compiled({ digest, path, version, content }: CatalogEntry): Promise<TriggerPlan> {
    const kept = this.plans.get(digest);
    if (kept) return kept;
    const job = { content, file: `catalog://${path}@${version}` };
    const { trigger, diagnostics } = await this.threads.run('trigger', job, `trigger ${path}`);
    if (!trigger) throw invalidDocument(`'${path}' version ${version}`, diagnostics, 'subscription');
    if (this.plans.size > KEPT_PLANS) this.plans.clear();
    this.plans.set(digest, trigger);
    return trigger;
  }
}
