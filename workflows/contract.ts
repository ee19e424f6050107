/** What goes into the workflow `playbook`, what comes out, and how to talk to it while it runs. */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import { type ExecutionError, type Progress, type State } from '../src/engine';
import { type Json, type JsonObject, type Plan } from '../src/plan';

export interface PlaybookInput {
  readonly plan: Plan;
  readonly payload?: JsonObject;
  /** The recorded state to go on from: continue-as-new, rerun. */
  readonly state?: State;
}

export interface PlaybookResult {
  readonly status: 'completed';
  readonly result: Json;
  readonly steps_executed: readonly string[];
}

/** Details of the ApplicationFailure that ends a failed execution. */
export interface PlaybookFailure {
  readonly error: ExecutionError;
  readonly steps_executed: readonly string[];
}

export const progressQuery = defineQuery<Progress>('progress');
export const stateQuery = defineQuery<State>('state');
export const variablesQuery = defineQuery<JsonObject>('variables');

export const pauseSignal = defineSignal<[{ reason?: string }?]>('pause');
export const resumeSignal = defineSignal('resume');
export const cancelSignal = defineSignal<[{ reason?: string }?]>('cancel');

export const setVariablesUpdate = defineUpdate<{ set: string[] }, [JsonObject]>('setVariables');
export const deleteVariablesUpdate = defineUpdate<{ deleted: string[] }, [string[]]>('deleteVariables');
