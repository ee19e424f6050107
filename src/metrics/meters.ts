/**
 * What a process counts, in Prometheus' text format. Nobody else knows the library behind it. Values of a label are
 * bounded: an id or a path that anybody may make up would be a series each.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Values of one label of a metric; what comes later is `other`. */
const MAX_VALUES = 200;
const OTHER = 'other';

export type Labels = Readonly<Record<string, string>>;

/** How long a gauge may take to read; Prometheus gives a scrape ten seconds by default. */
const READING_MS = 2000;

/** A metric's name, what it says, and its labels. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

export interface Reading {
  readonly labels?: Labels;
  readonly value: number;
}

export class Meters {
  private readonly registry = new Registry();

  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;

  /** @returns adds to it */
  counter({ name, help, labels = [] }: Metric): (labels?: Labels, by?: number) => void {
    const counter = new Counter({ name, help, labelNames: labels, registers: [this.registry] });
    const bounded = bounds();
    return (of = {}, by = 1) => counter.inc(bounded(of), by);
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

  /** @param read asked at each scrape; a value that cannot be had is left out, and so are those of before */
  gauge(
    { name, help, labels = [] }: Metric,
    read: () => readonly Reading[] | Promise<readonly Reading[]>,
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

  /** Everything, in Prometheus' text format. */
  text(): Promise<string> {
    return this.registry.metrics();
  }
}

/** Of one metric: keeps a label's values to so many. */
function bounds(): (labels: Labels) => Record<string, string> {
  const known = new Map<string, Set<string>>();
  return (labels) =>
    Object.fromEntries(
      Object.entries(labels).map(([name, value]) => {
        let values = known.get(name);
        if (!values) known.set(name, (values = new Set()));
        if (values.size < MAX_VALUES) values.add(value);
        return [name, values.has(value) ? value : OTHER];
      }),
    );
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

/** Asks at most once in `ms`; who asks meanwhile gets the answer of before, or waits for the one under way. */
export function cached<T>(ms: number, ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  let at = -Infinity;
  return () => {
    if (!asked || performance.now() - at > ms) {
      at = performance.now();
      asked = ask();
      asked.catch(() => (asked = undefined));
    }
    return asked;
  };
}
