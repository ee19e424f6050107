/** From canonical events to OpenLineage: a run for the execution, and one for each task run, with its datasets. */
import { type CanonicalEvent } from '../../../history';
import {
  everyTask,
  executionIdOf,
  isMapping,
  type Json,
  type Plan,
  type TaskPlan,
} from '../../../language/plan';
import { type EventBatch, type EventItem } from '../sink';
import { datasetsOf, type LineageCall, type Naming } from './datasets';
import {
  documentationFacet,
  engineFacet,
  errorFacet,
  type Job,
  jobTypeFacet,
  nominalTimeFacet,
  parentFacet,
  type ParentRun,
  runEvent,
  type RunEvent,
  runIdOf,
  type RunState,
} from './run-event';

/** What is not part of an execution's own history. */
export interface LineageSurroundings extends Naming {
  /** The playbook of another execution; undefined if it is not known any more. */
  readonly pathOf: (executionId: string) => Promise<string | undefined>;
  /** Of this release. */
  readonly version: string;
}

const STATES: Partial<
  Record<CanonicalEvent['event_type'], RunState | ((event: CanonicalEvent) => RunState)>
> = {
  'playbook.execution.requested': 'START',
  'playbook.resumed': 'RUNNING',
  // After a reset it goes on.
  'playbook.reset': 'RUNNING',
  'workflow.finished': endOf,
  'task.started': 'START',
  'task.done': 'COMPLETE',
  'task.failed': endOf,
};

function endOf({ status, payload }: CanonicalEvent): RunState {
  if (status === 'success') return 'COMPLETE';
  const { outcome } = payload;
  const kind = isMapping(outcome) && isMapping(outcome['error']) ? outcome['error']['kind'] : undefined;
  return status === 'cancelled' || kind === 'cancelled' ? 'ABORT' : 'FAIL';
}

/** Undefined for an event that says nothing about lineage. */
export async function lineageOf(
  batch: EventBatch,
  item: EventItem,
  around: LineageSurroundings,
): Promise<RunEvent | undefined> {
  const { event } = item;
  const state = STATES[event.event_type];
  if (state === undefined) return undefined;
  const at = { type: typeof state === 'string' ? state : state(event), at: event.timestamp };
  return event.task_run_id === undefined
    ? await ofExecution(batch, event, { at, around })
    : await ofTask(batch, item, { at, around });
}

interface Moment {
  readonly at: { readonly type: RunState; readonly at: string };
  readonly around: LineageSurroundings;
}

async function ofExecution(
  batch: EventBatch,
  event: CanonicalEvent,
  { at, around }: Moment,
): Promise<RunEvent> {
  const { plan, origin, callerId } = batch;
  const { description } = plan.metadata;
  const parent = callerId === undefined ? undefined : await otherRun(batch, callerId, around);
  const scheduled = origin.schedule?.scheduled_at;
  const failure = messageIn(event.payload['error'] ?? event.payload['reason']);
  const self = runOf(batch);
  return runEvent(at, {
    run: {
      runId: self.runId,
      facets: {
        processing_engine: engineFacet(around.version),
        ...(parent && { parent: parentFacet(parent, (await rootOf(batch, around)) ?? parent) }),
        ...(scheduled && { nominalTime: nominalTimeFacet(scheduled) }),
        ...(failure !== undefined && at.type === 'FAIL' && { errorMessage: errorFacet(failure) }),
      },
    },
    job: {
      ...self.job,
      facets: {
        jobType: jobTypeFacet('PLAYBOOK'),
        ...(description && { documentation: documentationFacet(description) }),
      },
    },
    inputs: [],
    outputs: [],
  });
}

async function ofTask(
  batch: EventBatch,
  { event, call }: EventItem,
  { at, around }: Moment,
): Promise<RunEvent> {
  const self = runOf(batch);
  const { namespace, executionId } = batch.execution;
  const step = stepOf(event);
  const task = taskIn(batch, step, event.entity_id);
  const effectiveCall = call ?? (task && constantsOf(task));
  const { outcome } = event.payload;
  const result = isMapping(outcome) ? outcome['result'] : undefined;
  const { inputs, outputs } = effectiveCall
    ? await datasetsOf({ ...effectiveCall, result }, around)
    : { inputs: [], outputs: [] };
  const failure = isMapping(outcome) ? messageIn(outcome['error']) : undefined;
  return runEvent(at, {
    run: {
      runId: runIdOf(namespace, executionId, event.task_run_id),
      facets: {
        parent: parentFacet(self, (await rootOf(batch, around)) ?? self),
        ...(failure !== undefined && at.type === 'FAIL' && { errorMessage: errorFacet(failure) }),
      },
    },
    job: {
      namespace: self.job.namespace,
      name: [self.job.name, step, event.entity_id].join('.'),
      facets: { jobType: jobTypeFacet('TASK') },
    },
    inputs,
    // What was written is known once it is: a failed task has written nothing that counts.
    outputs: at.type === 'COMPLETE' ? outputs : [],
  });
}

function runOf({ execution, plan }: EventBatch): ParentRun {
  const { namespace, executionId } = execution;
  return { job: jobNamed(namespace, plan.metadata.path), runId: runIdOf(namespace, executionId) };
}

async function otherRun(
  { execution }: EventBatch,
  executionId: string,
  { pathOf }: LineageSurroundings,
): Promise<ParentRun> {
  const { namespace } = execution;
  const path = (await pathOf(executionId)) ?? `noetl-${executionId}`;
  return { job: jobNamed(namespace, path), runId: runIdOf(namespace, executionId) };
}

/** Undefined for an execution at the root of its tree. */
async function rootOf(batch: EventBatch, around: LineageSurroundings): Promise<ParentRun | undefined> {
  const root = executionIdOf(batch.origin.rootWorkflowId);
  return root === undefined || root === batch.execution.executionId
    ? undefined
    : await otherRun(batch, root, around);
}

function jobNamed(namespace: string, name: string): Job {
  return { namespace: `noetl-${namespace}`, name };
}

/** `fetch#1` is a run of step `fetch`. */
function stepOf({ step_run_id }: CanonicalEvent): string {
  return (step_run_id ?? '').replace(/#\d+$/, '');
}

function taskIn({ plan }: EventBatch, stepName: string, name: string): TaskPlan | undefined {
  const step = plan.steps.find((one) => one.name === stepName);
  return step && everyTask(step).find((task) => task.name === name);
}

/** What tasks of a playbook read and write, as far as it is written there without templates. Tasks that name no data are left out. */
export async function lineageOfPlan({ steps }: Plan, naming: Naming) {
  const tasks = steps.flatMap((step) => everyTask(step).map((task) => ({ step: step.name, task })));
  const all = await Promise.all(
    tasks.map(async ({ step, task }) => {
      const { inputs: reads, outputs: writes } = await datasetsOf(constantsOf(task), naming);
      return { step, task: task.name, kind: task.kind, reads, writes };
    }),
  );
  return all.filter(({ reads, writes }) => reads.length + writes.length > 0);
}

/** The fields without templates: all that is known of a task within another activity. */
function constantsOf({ kind, config }: TaskPlan): LineageCall {
  if ('const' in config) return { kind, config: isMapping(config.const) ? config.const : {} };
  const entries = 'map' in config ? config.map : [];
  return {
    kind,
    config: Object.fromEntries(
      entries.flatMap(([key, value]) => ('const' in value ? [[key, value.const]] : [])),
    ),
  };
}

function messageIn(error: Json | undefined): string | undefined {
  if (typeof error === 'string') return error;
  const message = isMapping(error) ? error['message'] : undefined;
  return typeof message === 'string' ? message : undefined;
}
