/** Records a simulated run as a reader would tell of its history, so that whatever reads histories shows it too. */
import { chunkOfRef, type Command, type InputBatch, type Observer } from '../../src/engine/machine';
import { type HistoryStarted, type Item, type RequestedCommands } from '../../src/history/reader';
import { CodedError } from '../../src/language/errors';
import { type Plan, type TaskPlan } from '../../src/language/plan';

/** Characters of inputs. */
const MAX_CHARS = 16 * 1024 * 1024;

/** A simulation has one machine, which is never lent: its plan asks for no lease. */
export function planWithoutLeases(plan: Plan): Plan {
  const steps = plan.steps.map((step) => ({ ...step, tasks: step.tasks.map(withoutLease) }));
  return { ...plan, steps };
}

function withoutLease({ local: _local, body, ...task }: TaskPlan): TaskPlan {
  return { ...task, ...(body && { body: body.map(withoutLease) }) };
}

export class RunRecorder {
  private readonly items: Item[] = [];
  private readonly inChunks = new Map<string, InputBatch[]>();
  private chars = 0;

  readonly observer: Observer = {
    applying: (batch, chunk) => this.applying(batch, chunk),
    applied: (_batch, { commands }, chunk) => {
      const window = this.items.at(-1);
      if (chunk === undefined && window?.type === 'window') note(window.commands, commands);
    },
  };

  /** @throws CodedError `RUN_TOO_LONG` */
  private applying(batch: InputBatch, chunk: string | undefined): void {
    const text = JSON.stringify(batch);
    this.chars += text.length;
    if (this.chars > MAX_CHARS) throw new CodedError('RUN_TOO_LONG', 'This run is too long to be shown.');
    const copy = JSON.parse(text) as InputBatch;
    if (chunk !== undefined) {
      this.inChunks.set(chunk, [...(this.inChunks.get(chunk) ?? []), copy]);
      return;
    }
    this.items.push({
      type: 'window',
      eventId: this.items.length + 1,
      batches: [{ ...copy, inputs: copy.inputs.map((input) => this.withTrace(input)) }],
      tasks: new Map(),
      commands: { tasks: new Map(), timers: new Set(), children: new Set() },
    });
  }

  /** Simulated chunks do not report what happened in them. */
  private withTrace(input: InputBatch['inputs'][number]): InputBatch['inputs'][number] {
    if (input.type !== 'chunkSettled') return input;
    return { ...input, trace: this.inChunks.get(chunkOfRef(input.ref)) ?? [] };
  }

  itemsOf(plan: Plan, executionId: string): readonly Item[] {
    const started: HistoryStarted = {
      type: 'started',
      input: { plan },
      workflowId: '',
      executionId,
      origin: { rootWorkflowId: '', memo: {} },
    };
    return [started, ...this.items];
  }
}

/** What is requested is what a history would have: that the run is derived as it was simulated, is checked. */
function note({ tasks, timers, children }: RequestedCommands, commands: readonly Command[]): void {
  for (const command of commands) {
    if (command.type === 'runTask') tasks.set(command.call.task_run_id, command.call.kind);
    else if (command.type === 'startTimer') timers.add(command.key);
    else if (command.type === 'runPlaybook') children.add(command.child);
    else if (command.type === 'runChunk') children.add(command.ref);
  }
}
