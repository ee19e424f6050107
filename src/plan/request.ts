import { type JsonObject } from './json';
import { type CatalogMemo } from './memo';
import { type Plan } from './plan';

/** What is asked of whoever knows the playbooks. */
export interface PlaybookRequest {
  /** `metadata.path`, or, where playbooks are files, the path of a file relative to the caller's. */
  readonly path: string;
  /** The newest unless given. */
  readonly version?: string;
  /** The file of the caller, where it came from one. */
  readonly from?: string;
}

/** What a sub-playbook asks before it begins (the activity `RESOLVE_ACTIVITY`). */
export interface ResolveRequest extends PlaybookRequest {
  /**
   * What it is to start with: checked against what the playbook says of its inputs. Whoever says it understands a
   * `ResolvedPlaybook`; executions of earlier releases, and schedules, do not say it and get the plan alone.
   */
  readonly payload?: JsonObject;
}

export interface ResolvedPlaybook {
  readonly plan: Plan;
  readonly memo: CatalogMemo;
}

/** Whichever of the two was answered. */
export function asResolved(answer: Plan | ResolvedPlaybook): ResolvedPlaybook {
  return 'plan' in answer ? answer : { plan: answer, memo: {} };
}
