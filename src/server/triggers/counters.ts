/** Counts messages, for metrics at once, for the table now and then: not each message writes a row. */
import { cached, type Meters } from '../../telemetry/metrics';
import { type KnownTrigger } from '../../language/plan';
import { type MessageOutcome } from './dispatcher';
import { type TriggerRow, type TriggerStore } from './store';

export class TriggerCounters {
  private counts = new Map<string, Partial<Record<MessageOutcome, number>>>();
  private readonly metered: ((labels: Record<string, string>) => void) | undefined;

  constructor(
    private readonly store: TriggerStore,
    meters?: Meters,
  ) {
    this.metered = meters?.counter({
      name: 'noetl_trigger_messages_total',
      help: 'Messages of triggers, by what became of them (started, duplicate, filtered, dead)',
      labels: ['subscription', 'source', 'outcome'],
    });
  }

  readonly note = ({ id, plan }: KnownTrigger, outcome: MessageOutcome): void => {
    const of = this.counts.get(id) ?? {};
    of[outcome] = (of[outcome] ?? 0) + 1;
    this.counts.set(id, of);
    this.metered?.({ subscription: plan.metadata.path, source: plan.source, outcome });
  };

  /** Writes what was counted; what cannot be written is counted later. */
  async flush(): Promise<void> {
    const counts = this.counts;
    this.counts = new Map();
    for (const [id, outcomes] of counts)
      await this.store.count(id, outcomes).catch(() => {
        const since = this.counts.get(id) ?? {};
        for (const [outcome, count] of Object.entries(outcomes) as [MessageOutcome, number][])
          since[outcome] = (since[outcome] ?? 0) + count;
        this.counts.set(id, since);
      });
  }
}

/** Several scrapers cause only one query. */
const FRESH_MS = 5_000;
const GAUGES: Readonly<Record<string, readonly [help: string, value: (row: TriggerRow) => number | null]>> = {
  noetl_trigger_lag: ['Messages that wait in the source of a subscription', (row) => row.lag],
  noetl_trigger_trouble_seconds: [
    'For how long a subscription has been unable to take or start messages; 0: it is able to',
    ({ trouble_at: since }) => (since ? Math.max(0, Date.now() - Number(since)) / 1000 : 0),
  ],
  noetl_trigger_dead_letters: ['Messages that could not be started, and are kept', (row) => row.dead_letters],
};

/** What the table says of all triggers: the same from every facade. */
export function measureTriggers(meters: Meters, store: TriggerStore): void {
  const rows = cached(FRESH_MS, () => store.list());
  for (const [name, [help, valueOf]] of Object.entries(GAUGES))
    meters.gauge({ name, help, labels: ['subscription', 'source'] }, async () =>
      (await rows()).flatMap((row) => {
        const value = row.state === 'DEACTIVATED' ? null : valueOf(row);
        return value === null ? [] : [{ labels: { subscription: row.path, source: row.source }, value }];
      }),
    );
}
