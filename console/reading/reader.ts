/**
 * The worker that reads a history, with the same reader and engine as everywhere else. It sends events as they arrive
 * and answers questions: the moment after an event, and the decisions.
 */
import { Derivation, type HistoryPart } from '../../src/history/derivation';
import { explainExecution } from '../../src/history/explain';
import { Overview } from '../../src/history/overview';
import { KeyframeWriter } from '../../src/history/keyframes';
import { graphOf } from '../../src/language/dsl/graph/graph';
import { plainConverter } from './stand-ins/codec';
import { facadeHistory, fileHistory, HistoryFailure, type Page } from './history';
import { type MomentRequest, type ReaderRequest, type ReadingSource, type ReaderMessage } from './protocol';

/** Milliseconds. */
const RETRY_FROM = 250;
const RETRY_AT_MOST = 5_000;
/** Events per message: the page is drawn in between. */
const PORTION = 5_000;
/** Events of an execution that the page holds; of a file it holds all, since there are no tables to ask. */
const MOST_EVENTS = 10_000;

const tell = (message: ReaderMessage): void => postMessage(message);
let kept: (readonly HistoryPart[])[] = [];

addEventListener('message', ({ data }: MessageEvent<ReaderRequest>) => {
  if (data.type === 'open') void open(data.source);
  else if (data.type === 'explain') void explained(data.lines);
  else void moment(data);
});

async function open(source: ReadingSource): Promise<void> {
  if (!('execution' in source)) {
    const pages = 'items' in source ? once({ events: source.items }) : fileHistory(source.files);
    await read(pages).then(() => over(), failed);
    return;
  }
  for (let pause = RETRY_FROM; ; pause = Math.min(pause * 2, RETRY_AT_MOST)) {
    let isReported = false;
    try {
      await read(facadeHistory(source.execution), () => {
        if (!isReported) tell({ type: 'connection', lost: false });
        isReported = true;
      });
      over();
      return;
    } catch (error) {
      if (!(error instanceof HistoryFailure) || !error.retryable) return failed(error);
      if (error.code !== 'SUPERSEDED') tell({ type: 'connection', lost: true });
      if (isReported) pause = RETRY_FROM;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

let derivation: Derivation;
/** Events between two keyframes: as many as a moment takes at most, unless the state is large. */
const EVERY = 100;
let keyframes = new KeyframeWriter();

async function read(pages: AsyncIterable<Page<HistoryPart>>, onPage?: () => void): Promise<void> {
  keyframes = new KeyframeWriter(0, EVERY, Infinity);
  derivation = new Derivation({ converter: plainConverter, bodies: true, recorder: keyframes });
  kept = [];
  const overview = new Overview();
  let begun = false;
  for await (const { events, caughtUp } of pages) {
    onPage?.();
    if (events.length > 0) kept.push(events);
    for await (const derived of derivation.portions(events, PORTION)) {
      const { plan } = derivation;
      const begins = begun ? {} : { begins: { plan, graph: graphOf(plan) } };
      begun = true;
      const shown = derived.filter(overview.keeps);
      tell({ type: 'events', events: shown, leftOut: overview.leftOut, ...begins });
      if (onPage && derivation.lastSeq > MOST_EVENTS) return tell({ type: 'long' });
    }
    if (caughtUp) tell({ type: 'caughtUp', over: false, ...divergence() });
  }
}

function over(): void {
  tell({ type: 'caughtUp', over: true, ...divergence() });
}

function divergence(): { divergence?: string } {
  return derivation.divergence ? { divergence: derivation.divergence.message } : {};
}

function failed(error: unknown): void {
  const { code, message } = error as { code?: string; message?: string };
  tell({ type: 'failed', code: code ?? 'UNREADABLE', message: message ?? String(error) });
}

async function moment({ seq, port }: MomentRequest): Promise<void> {
  port.postMessage(await keyframes.momentAt(seq).catch(() => undefined));
}

async function* once(page: Page<HistoryPart>): AsyncGenerator<Page<HistoryPart>> {
  yield page;
}

async function* again(): AsyncGenerator<readonly HistoryPart[]> {
  yield* [...kept];
}

async function explained(lines: readonly string[]): Promise<void> {
  try {
    const { decisions } = await explainExecution(again(), () => (line) => lines[line - 1], {
      converter: plainConverter,
    });
    tell({ type: 'decisions', decisions });
  } catch (error) {
    failed(error);
  }
}
