/**
 * Histories as JSON text, `{"events": [...]}` or `[...]`, read in pieces: a file of any size needs memory for only a few
 * hundred events. In Node and in browsers.
 */

/** Number of events that are handed out at a time. */
const CHUNK = 200;

/**
 * The events in chunks, each a whole number of workflow tasks; the last one is empty if there are none.
 *
 * @throws SyntaxError when the text is not a list of objects
 */
export async function* eventChunks(pieces: AsyncIterable<string>): AsyncGenerator<readonly object[], void> {
  const cutter = new EventCutter();
  let chunk: object[] = [];
  for await (const piece of pieces) {
    for (const event of cutter.take(piece)) {
      if (chunk.length >= CHUNK && 'workflowTaskScheduledEventAttributes' in event) {
        yield chunk;
        chunk = [];
      }
      chunk.push(event);
    }
  }
  cutter.end();
  yield chunk;
}

/** How a Temporal run and the one before it are called. */
export interface RunInChain {
  readonly runId: string;
  readonly continues: string;
}

/** @param event the first of a run */
export function runInChain(event: object | undefined): RunInChain {
  const { workflowExecutionStartedEventAttributes: started } = (event ?? {}) as {
    workflowExecutionStartedEventAttributes?: {
      readonly originalExecutionRunId?: string | null;
      readonly continuedExecutionRunId?: string | null;
    };
  };
  return {
    runId: started?.originalExecutionRunId ?? '',
    continues: started?.continuedExecutionRunId ?? '',
  };
}

/** Sorts runs into the order in which they continue each other; undefined if they do not. */
export function chainOf<Run extends RunInChain>(runs: readonly Run[]): readonly Run[] | undefined {
  const first = runs.find((run) => !runs.some((other) => other !== run && other.runId === run.continues));
  const ordered = first ? [first] : [];
  for (let last = first; last;) {
    const { runId } = last;
    last = runs.find((run) => run.continues === runId && !ordered.includes(run));
    if (last) ordered.push(last);
  }
  return ordered.length === runs.length ? ordered : undefined;
}

/** Cuts a text into its objects by counting brackets. */
export class EventCutter {
  private depth = 0;
  private inText = false;
  private escaped = false;
  /** Depth of the list's items, once the list was found. */
  private items = -1;
  private kept = '';

  /** @throws SyntaxError if an object is not JSON */
  take(piece: string): object[] {
    const objects: object[] = [];
    const text = this.kept + piece;
    let from = 0;
    for (let i = this.kept.length; i < text.length; i++) {
      const char = text[i];
      if (this.inText) this.within(char);
      else if (char === '"') this.inText = true;
      else if (char === '{' || char === '[') {
        if (this.items < 0 && char === '[') this.items = this.depth + 1;
        else if (this.depth === this.items) from = i;
        this.depth++;
      } else if (char === '}' || char === ']') {
        this.depth--;
        if (this.depth === this.items && this.items >= 0) {
          objects.push(JSON.parse(text.slice(from, i + 1)) as object);
          from = i + 1;
        }
      }
    }
    this.kept = this.items >= 0 && this.depth > this.items ? text.slice(from) : '';
    return objects;
  }

  /** @throws SyntaxError if the text was not a whole list */
  end(): void {
    if (this.items < 0) throw new SyntaxError('it has no list of events');
    if (this.depth !== 0 || this.inText) throw new SyntaxError('it is incomplete');
  }

  private within(char: string | undefined): void {
    if (this.escaped) this.escaped = false;
    else if (char === '\\') this.escaped = true;
    else if (char === '"') this.inText = false;
  }
}
