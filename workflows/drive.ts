/**
 * The loop between Temporal and an engine: every workflow task is a batch, whose commands become activities, timers and
 * child workflows. Used for playbooks and for chunks alike.
 */
import { allHandlersFinished, condition, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import { type InputBatch, type Command, type Input, type Machine } from '../src/engine/machine';
import { inlineBytesOf, spendInlineBudgetOf } from '../src/storage/payloads';
import { recordName } from './attributes';
import { Children } from './children';
import { Chunks } from './chunks';
import { waitUntil } from './closing';
import { leaveSignal, type ResolverQueue } from '../src/temporal/contract/definitions';
import { detailsOf } from './details';
import { Effects } from './effects';
import { type LastCommand, type LastWord } from '../src/temporal/contract/ending';
import { TaskLeases } from './leases';
import { LongTasks } from './long-tasks';
import { type OtherWorkflows } from './others';
import { type InputQueue } from './queue';

export interface DrivenRun {
  readonly machine: Machine;
  readonly queue: InputQueue;
  readonly others: OtherWorkflows;
  /** The preferred resolver of sub-playbooks. */
  readonly resolver?: ResolverQueue;
  /** Inputs of the first batch. */
  readonly first: readonly Input[];
  /** Called with every batch before the engine applies it. */
  note(batch: InputBatch): void;
  /** Continues in a new Temporal run. */
  continueAsNew(): Promise<never>;
}

/** Runs the machine until it ends. */
export async function drive(run: DrivenRun): Promise<LastWord> {
  const { machine, queue, others, resolver } = run;
  const { plan } = machine;
  const bytes = inlineBytesOf(plan);
  const hands: Hands = {
    tasks: new Effects(queue, bytes, new LongTasks(queue, others, bytes)),
    children: new Children(queue, others, plan.source.file, resolver),
    chunks: new Chunks(queue, others, plan, machine.executionId, resolver),
    leases: new TaskLeases(queue, plan),
    queue,
    leave: (keeper) =>
      // A keeper that has ended has nothing to learn.
      void others.signal(keeper, leaveSignal, machine.executionId).catch(() => undefined),
  };
  let inputs = run.first;
  /** A workflow that never closes is waited for only once. */
  let isPatient = true;
  for (;;) {
    const { continueAsNewSuggested, historyLength } = workflowInfo();
    spendInlineBudgetOf(historyLength);
    const batch = { at: Date.now(), inputs, continueAsNewSuggested };
    run.note(batch);
    others.note(inputs);
    const end = perform(machine.advance(batch), hands);
    if (inputs === run.first) recordName(machine.live.runName);
    setCurrentDetails(detailsOf(machine.progress()));
    if (end?.type === 'continueAsNew') {
      await condition(() => !queue.isEmpty || others.isIdle);
      isPatient &&= await waitUntil(() => !queue.isEmpty || others.haveClosed);
      if (queue.isEmpty) {
        await condition(allHandlersFinished);
        return await run.continueAsNew();
      }
    } else if (end) return end;
    await condition(() => !queue.isEmpty);
    inputs = queue.take();
  }
}

interface Hands {
  readonly tasks: Effects;
  readonly children: Children;
  readonly chunks: Chunks;
  readonly leases: TaskLeases;
  readonly queue: InputQueue;
  leave(keeper: string): void;
}

type Effect<T extends Command['type']> = (hands: Hands, command: Extract<Command, { type: T }>) => void;

/** Handles every command except the last. */
const EFFECTS: { readonly [T in Exclude<Command['type'], LastCommand['type'] | 'leaseSpent'>]: Effect<T> } = {
  runTask: ({ tasks }, command) => tasks.runTask(command),
  cancelTask: ({ tasks }, command) => tasks.cancelTask(command),
  startTimer: ({ tasks }, { key, deadline }) => tasks.startTimer(key, deadline),
  cancelTimer: ({ tasks }, { key }) => tasks.cancelTimer(key),
  answerEvent: ({ queue }, command) => queue.answer(command),
  runPlaybook: ({ children }, command) => children.run(command),
  cancelPlaybook: ({ children }, { child, reason }) => children.cancel(child, reason),
  pausePlaybook: ({ children }, { child, reason }) => children.pause(child, reason),
  resumePlaybook: ({ children }, { child }) => children.resume(child),
  runChunk: ({ chunks }, command) => chunks.run(command),
  cancelChunk: ({ chunks }, { ref }) => chunks.cancel(ref),
  pauseChunk: ({ chunks }, { ref, reason }) => chunks.pause(ref, reason),
  resumeChunk: ({ chunks }, { ref }) => chunks.resume(ref),
  leaveLimit: (hands, { keeper }) => hands.leave(keeper),
  startLease: ({ leases }, command) => leases.start(command),
  cancelLease: ({ leases }, { ref }) => leases.cancel(ref),
};

function perform(commands: readonly Command[], hands: Hands): LastCommand | undefined {
  for (const command of commands) {
    if (!Object.hasOwn(EFFECTS, command.type)) return command as LastCommand;
    const effect = EFFECTS[command.type as keyof typeof EFFECTS] as Effect<Command['type']>;
    effect(hands, command);
  }
  return undefined;
}
