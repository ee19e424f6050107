/**
 * Metrics of a process, in Prometheus' text format. Encapsulates the library. The values of labels are bounded: an
 * id or path chosen by a client would create a series each.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Values of one label of a metric; further ones become `other`. */
const MAX_VALUES = 200;
const OTHER = 'other';

export type Labels = Readonly<Record<string, string>>;

/** How long a gauge may take to read; Prometheus gives a scrape ten seconds by default. */
const READING_MS = 2000;

/** A metric's name, description and labels. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

export interface MeterReading {
  readonly labels?: Labels;
  readonly value: number;
}

type Increment = (labels?: Labels, by?: number) => void;

export class Meters {
  private readonly registry = new Registry();
  private readonly counters = new Map<string, Increment>();

  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;

  /** One counter for each name, whoever in the process counts. @returns increments it */
  counter({ name, help, labels = [] }: Metric): Increment {
    const existing = this.counters.get(name);
    if (existing) return existing;
    const counter = new Counter({ name, help, labelNames: labels, registers: [this.registry] });
    const bounded = bounds();
    const increment: Increment = (of = {}, by = 1) => counter.inc(bounded(of), by);
    this.counters.set(name, increment);
    return increment;
  }

  /** @param buckets upper bounds @returns observes a value */
  histogram(
    { name, help, labels = [] }: Metric,
    buckets: readonly number[],
  ): (labels: Labels, value: number) => void {
    const registers = [this.registry];
    const histogram = new Histogram({ name, help, labelNames: labels, buckets: [...buckets], registers });
    const bounded = bounds();
    return (of, value) => histogram.observe(bounded(of), value);
  }

  /** @param read called at each scrape; if it fails, the metric is omitted */
  gauge(
    { name, help, labels = [] }: Metric,
    read: () => readonly MeterReading[] | Promise<readonly MeterReading[]>,
  ): void {
    new Gauge({
      name,
      help,
      labelNames: labels,
      registers: [this.registry],
      async collect() {
        const readings = await within(READING_MS, Promise.resolve().then(read)).catch(() => []);
        this.reset();
        if (labels.length === 0 && readings.length === 0) this.remove();
        const bounded = bounds();
        for (const { labels: of = {}, value } of readings) this.set(bounded(of), value);
      },
    });
  }

  /** Memory, event loop and garbage collection of the process. */
  process(): this {
    collectDefaultMetrics({ register: this.registry });
    return this;
  }

  /** All metrics, in Prometheus' text format. */
  text(): Promise<string> {
    return this.registry.metrics();
  }
}

/** Bounds the number of a metric's label values. */
function bounds(): (labels: Labels) => Record<string, string> {
  const byName = new Map<string, Set<string>>();
  return (labels) => {
    const bounded: Record<string, string> = {};
    for (const name of Object.keys(labels)) {
      const value = labels[name]!;
      let values = byName.get(name);
      if (!values) byName.set(name, (values = new Set()));
      if (values.size < MAX_VALUES) values.add(value);
      bounded[name] = values.has(value) ? value : OTHER;
    }
    return bounded;
  };
}

/** Rejects when `work` takes longer: a scrape must not wait for a server that does not respond. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}

/** Calls `ask` at most once per `ms`; other callers get the previous result, or wait for the pending call. */
export function cached<T>(ms: number, ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let at = -Infinity;
  return () => {
    if (!answer || performance.now() - at > ms) {
      at = performance.now();
      answer = ask();
      answer.catch(() => (answer = undefined));
    }
    return answer;
  };
}
