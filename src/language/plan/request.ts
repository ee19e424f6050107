import { type JsonObject } from './json';
import { type CatalogMemo } from './memo';
import { type Plan } from './plan';

/** A request to the resolver of playbooks. */
export interface PlaybookRequest {
  /** `metadata.path` or, for playbooks in files, a file path relative to the caller's. */
  readonly path: string;
  /** Defaults to the latest version. */
  readonly version?: string;
  /** The caller's file, if it came from one. */
  readonly from?: string;
}

/** The request of a sub-playbook before it begins (the activity `RESOLVE_ACTIVITY`). */
export interface ResolveRequest extends PlaybookRequest {
  /**
   * Its inputs, checked against those the playbook declares. Senders of this field understand a `ResolvedPlaybook`;
   * executions of earlier releases, and schedules, omit it and receive only the plan.
   */
  readonly payload?: JsonObject;
  /** Keys that have to be inputs of the playbook. */
  readonly onlyInputs?: readonly string[];
  /** The workflow id of the execution that its callers began with; absent if that is its caller. */
  readonly family?: string;
  /** Of Temporal: the schedule whose firing asks. */
  readonly schedule?: string;
  /** Execution ids of its callers, the one that nobody called first. */
  readonly callers?: readonly string[];
}

export interface ResolvedPlaybook {
  readonly plan: Plan;
  readonly memo: CatalogMemo;
}

/** Accepts either form of the answer. */
export function asResolved(answer: Plan | ResolvedPlaybook): ResolvedPlaybook {
  return 'plan' in answer ? answer : { plan: answer, memo: {} };
}
