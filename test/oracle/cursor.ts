/** Loops over rows that are claimed frame by frame (docs/loops.md, Rows from a table). */
import { type Flow, Gate, type Process } from './clock';
import { type CursorClause, type Dict, dict, list } from './document';
import { Frame } from './frame';
import { type LoopEnd, type LoopRequest } from './loop';
import { runPipeline } from './pipeline';
import { type Failure } from './run';
import { payloadOf, valueOf } from './values';

/** A cursor on its way. */
class Cursor {
  private claims = 0;
  private frames = 0;
  private total = 0;
  private success = 0;
  private begun = 0;
  private iterations = 0;
  private stop: Failure | undefined;
  private claimFailed: Failure | undefined;
  private readonly changed = new Gate();
  private readonly busy = new Set<Process>();

  constructor(
    private readonly request: LoopRequest,
    private readonly cursor: CursorClause,
  ) {}

  *run(): Flow<LoopEnd> {
    const { request, cursor, busy } = this;
    const { clock } = request.frame.options.execution;
    const number = (raw: unknown): number => Number(valueOf(raw, request.frame.names()));
    const policy = Object.fromEntries(
      Object.entries({ max_rows: 1, row_concurrency: 1, ...cursor.frame })
        .filter(([key]) => key !== 'process')
        .map(([key, raw]) => [key, number(raw)]),
    );
    request.begun?.(() => this.value());
    for (let slot = 0; slot < number(cursor.slots); slot++) this.start(this.slot(slot, policy));
    try {
      while (busy.size > 0 && !this.stop) yield this.changed;
    } finally {
      for (const process of busy) clock.stop(process);
    }
    return {
      value: this.value(),
      failure: this.stop ?? this.claimFailed,
      isCut: this.stop !== undefined && this.begun < this.total,
    };
  }

  private start(flow: Flow<void>): void {
    const { clock } = this.request.frame.options.execution;
    const { busy, changed } = this;
    const whole = function* (own: () => Process): Flow<void> {
      yield* flow;
      busy.delete(own());
      clock.open(changed);
    };
    const process: Process = clock.start(whole(() => process));
    busy.add(process);
  }

  /** Claims, works on what it got, and claims again. */
  private *slot(slot: number, policy: Dict): Flow<void> {
    for (;;) {
      const rows = yield* this.claim(slot, policy);
      if (rows.length === 0) return;
      yield* this.work(slot, rows, Number(policy['row_concurrency']));
    }
  }

  private *claim(slot: number, policy: Dict): Flow<unknown[]> {
    const { frame, prefix } = this.request;
    const { claim } = this.cursor;
    const seen = { __frame_max_rows: policy['max_rows'], __frame_policy: policy, __worker_slot_id: slot };
    const own = new Frame({ ...frame.options, prefix: `${prefix}{${this.claims++}}`, parent: frame });
    Object.assign(own.variables, seen);
    const { outcome, failure } = yield* runPipeline([claim], own);
    if (!failure) return list(dict(payloadOf(outcome))['rows']);
    if (this.request.isBestEffort) this.claimFailed ??= failure;
    else this.stop ??= failure;
    return [];
  }

  /** The rows of one frame, at most so many at once. */
  private *work(slot: number, rows: readonly unknown[], atOnce: number): Flow<void> {
    const { clock } = this.request.frame.options.execution;
    const about = { _frame_index: this.frames++, _frame_row_count: rows.length, _worker_slot_id: slot };
    const isWhole = this.cursor.process === 'frame';
    const first = isWhole ? this.iterations : this.total;
    this.total += rows.length;
    this.iterations += 1;
    const items = isWhole ? [rows] : rows;
    const ended = new Gate();
    let [next, open] = [0, 0];
    while (next < items.length || open > 0) {
      for (; next < items.length && open < (isWhole ? 1 : atOnce); next++) {
        open++;
        const weight = isWhole ? rows.length : 1;
        const place = isWhole ? about : { ...about, _frame_row_index: next };
        const row = this.row([first + next, items[next]], { ...place, _total: rows.length }, weight);
        this.start(
          (function* (): Flow<void> {
            yield* row;
            open--;
            clock.open(ended);
          })(),
        );
      }
      yield ended;
    }
  }

  private *row([index, item]: readonly [number, unknown], iter: Dict, weight: number): Flow<void> {
    const { frame, loop, prefix, turn, isBestEffort } = this.request;
    this.begun += weight;
    const inner = new Frame({
      ...frame.options,
      args: frame.args,
      prefix: `${prefix}[${index}]`,
      index,
      length: Number(iter['_total']),
      item: [loop.iterator, item],
      parent: frame,
      isIsolated: true,
    });
    Object.assign(inner.iter, { _index: index, ...iter });
    const { failure } = yield* turn(inner);
    if (!failure) this.success += weight;
    if (failure && !isBestEffort) this.stop ??= failure;
  }

  /** What it stops counts as failed. */
  private value(): Dict {
    const { total, success, begun, frames } = this;
    const stats = { total, success, failed: begun - success, not_started: total - begun, frames };
    return { results: [], count: total, stats };
  }
}

export function runCursor(request: LoopRequest, cursor: CursorClause): Flow<LoopEnd> {
  return new Cursor(request, cursor).run();
}
