/**
 * Iterations of a loop in a workflow of their own (`exec: distributed`): the same engine running the same pipeline. The
 * chunk reports its batches to the loop, so that the loop's history contains the events of all iterations.
 */
import { CancellationScope, condition, continueAsNew, getExternalWorkflowHandle } from '@temporalio/workflow';
import { type InputBatch, Machine, type Trace } from '../src/engine/machine';
import { jsonSize } from '../src/language/plan';
import { compressible, inlineBytesOf, limitInline } from '../src/storage/payloads';
import { waitUntil } from './closing';
import { type ChunkInput, type ChunkReport, chunkSignal } from '../src/temporal/contract/definitions';
import { drive } from './drive';
import { type ChunkEnding } from '../src/temporal/contract/ending';
import { answerQueries, listenToMessages } from './handlers';
import { OtherWorkflows } from './others';
import { InputQueue } from './queue';

/** How many of its iterations succeeded and failed; the rest is reported to the loop by signal. */
export interface ChunkOutcome {
  readonly done: number;
  readonly failed: number;
}

export async function chunk(input: ChunkInput): Promise<ChunkOutcome> {
  const queue = new InputQueue();
  listenToMessages(queue);
  // The engine decides what a cancellation stops, so Temporal must not cancel anything below by itself.
  return CancellationScope.nonCancellable(() => run(input, queue));
}

async function run(input: ChunkInput, queue: InputQueue): Promise<ChunkOutcome> {
  const { plan, ref, loopWorkflowId, chunk: given, state, resolver } = input;
  const machine = state ? Machine.from(plan, state) : Machine.forChunk(plan, given!);
  answerQueries(machine);
  const others = new OtherWorkflows();
  const diary = new Diary(ref, loopWorkflowId, inlineBytesOf(plan));
  const end = await drive({
    machine,
    queue,
    others,
    resolver,
    first: [{ type: state ? 'continued' : 'chunkStarted' }],
    note: (batch) => diary.note(batch),
    async continueAsNew() {
      await diary.tell();
      const next = { plan, ref, loopWorkflowId, state: machine.state, resolver };
      return await continueAsNew<typeof chunk>(limitInline(compressible(next), inlineBytesOf(plan)));
    },
  });
  queue.close();
  const { result } = end as ChunkEnding;
  await diary.tell({ status: 'done', result });
  await condition(() => others.isIdle);
  await waitUntil(() => others.haveClosed);
  return { done: result.done, failed: result.failed };
}

/** Maximum size of one report: the signal must fit into history when there is no external storage. */
const MAX_REPORT_SIZE = 512 * 1024;

/** Batches not yet reported. */
class Diary {
  private trace: InputBatch[] = [];
  private size = 0;
  private telling: Promise<void> = Promise.resolve();

  constructor(
    private readonly ref: string,
    private readonly loopWorkflowId: string,
    private readonly inlineBytes: number,
  ) {}

  /** Records a batch that is about to be applied. */
  note(batch: InputBatch): void {
    const size = jsonSize(batch.inputs);
    if (this.size > 0 && this.size + size > MAX_REPORT_SIZE) void this.tell();
    this.trace.push(batch);
    this.size += size;
  }

  /** In order: a report is sent once the previous one has arrived. */
  tell(settled?: ChunkReport['settled']): Promise<void> {
    const report: ChunkReport = { ref: this.ref, trace: this.trace as Trace, settled };
    this.trace = [];
    this.size = 0;
    this.telling = this.telling.then(() => this.send(report));
    return this.telling;
  }

  private async send(report: ChunkReport): Promise<void> {
    // Without a run id, the signal reaches the current run of the loop's chain. A loop that has ended does not need it.
    await getExternalWorkflowHandle(this.loopWorkflowId)
      .signal(chunkSignal, limitInline(compressible(report), this.inlineBytes))
      .catch(() => undefined);
  }
}
