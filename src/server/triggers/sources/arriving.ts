/** What sources share: waiting for messages, and holding those of a broker. */
import { CodedError, messageOf } from '../../../language/errors';
import { type SourceMessage } from '../source';

/** Says that something may have arrived, or that nothing is waited for any more. */
export class Bell {
  private rings = 0;
  private wake: () => void = () => undefined;

  constructor(private readonly signal: AbortSignal) {
    signal.addEventListener('abort', this.ring, { once: true });
  }

  readonly ring = (): void => {
    this.rings += 1;
    this.wake();
  };

  /** What `look` sees, which waits so long for something. */
  async first<Seen extends { readonly length: number }>(
    look: () => Seen | Promise<Seen>,
    ms: number,
  ): Promise<Seen> {
    const until = performance.now() + ms;
    for (;;) {
      const { rings } = this;
      const seen = await look();
      const left = until - performance.now();
      if (seen.length > 0 || this.signal.aborted || left <= 0) return seen;
      if (rings === this.rings) await this.rung(left);
    }
  }

  private async rung(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** The broker's own, of messages that are in hand; their time is extended until they are settled. */
export class InHand<Own> {
  private readonly owns = new Map<SourceMessage, Own>();
  private readonly timer: NodeJS.Timeout | undefined;

  /** @param extend is called with all of them, so often; what fails is tried again at the next time, or delivered again */
  constructor(everyMs?: number, extend?: (owns: readonly Own[]) => unknown) {
    if (everyMs === undefined) return;
    this.timer = setInterval(() => {
      if (this.owns.size > 0) void Promise.resolve(extend?.([...this.owns.values()])).catch(() => undefined);
    }, everyMs).unref();
  }

  hold(message: SourceMessage, own: Own): SourceMessage {
    this.owns.set(message, own);
    return message;
  }

  /** They are settled by what is done with these. */
  letGo(messages: readonly SourceMessage[]): Own[] {
    const all = messages.map((message) => this.owns.get(message)!);
    for (const message of messages) this.owns.delete(message);
    return all;
  }

  close(): void {
    clearInterval(this.timer);
  }
}

/** Names in lower case; of a repeated one, all values. */
export function messageHeaders(
  entries: Iterable<readonly [name: string, values: string | readonly string[]]>,
): SourceMessage['headers'] {
  // A header may be called `constructor`.
  const headers = new Map<string, string | string[]>();
  for (const [name, values] of entries) {
    const key = name.toLowerCase();
    const all = headers.has(key) ? [headers.get(key)!, values].flat() : values;
    headers.set(key, typeof all === 'string' ? all : all.length === 1 ? all[0]! : [...all]);
  }
  return Object.fromEntries(headers);
}

/** The source is away, as the trigger's trouble says. */
export function sourceAway(source: string): (error: unknown) => never {
  return (error) => {
    throw new CodedError(`${source.toUpperCase()}_UNREACHABLE`, `${source}: ${messageOf(error)}`, {
      retryable: true,
      cause: error,
    });
  };
}
