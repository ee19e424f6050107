/**
 * Submissions: from a client's reference to a running execution. With a key, a submission is recorded before it is
 * started; a repetition then completes what a killed facade began and never starts a second execution.
 */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import {
  compact,
  inPool,
  type Json,
  type JsonObject,
  type Plan,
  type RunLabels,
  type TriggerMemo,
} from '../../../language/plan';
import { hasCode } from '../../../language/errors';
import { type KeyRing } from '../../../storage/keyring';
import { type CatalogEntry, type Submission, type Submissions } from '../../store';
import { type CalledFrom, newExecutionId } from '../../../temporal/client';
import { type Library } from '../catalog/library';
import { entryOf, type CatalogReference } from '../catalog/reference';
import { described } from '../executions/described';
import { FacadeError } from '../http/errors';
import { Fingerprints } from './fingerprint';
import { refuseWrongInputs } from './inputs';
import { startSealed, type StartServices } from './start-sealed';

export interface SubmitRequest {
  readonly reference: CatalogReference;
  readonly payload: JsonObject;
  readonly parentExecutionId?: string;
  /** Of workers, for the tasks that name none. */
  readonly pool?: string;
  /** Beside those of the playbook. */
  readonly labels?: RunLabels;
  /** The message that starts it: its trigger counts as the parent of its key. */
  readonly trigger?: TriggerMemo;
  /** One execution for each key and parent within that time, whoever asks. */
  readonly dedup?: { readonly key: string; readonly windowSecs: number };
  /** The client's Idempotency-Key, and its owner. */
  readonly key?: string;
  readonly principal: string;
  /** Whose key it is instead of the principal's. */
  readonly keyOwner?: string;
  readonly calledFrom?: CalledFrom;
  /** `PlaybookInput` */
  readonly returnResult?: true;
}

export interface Accepted {
  readonly executionId: string;
  readonly entry: CatalogEntry;
  /** This is the execution of an earlier request with the key. */
  readonly replayed: boolean;
}

interface Admitted {
  readonly entry: CatalogEntry;
  readonly plan: Plan;
}

export class Submitter {
  private readonly fingerprints: Fingerprints;

  constructor(
    private readonly services: StartServices & { readonly keys?: KeyRing },
    private readonly library: Library,
    private readonly submissions: Submissions,
  ) {
    this.fingerprints = new Fingerprints(services.keys);
  }

  /**
   * Starts an execution, unless this request was made before.
   *
   * @throws FacadeError 404 if there is no such playbook; 422 if it cannot be run or inputs are invalid; 409 if the key
   *   was used for another request; 413 if the input is too large; 503 if it has secrets that cannot be stored
   */
  async submit(request: SubmitRequest): Promise<Accepted> {
    const { key, dedup, principal, keyOwner = principal } = request;
    if (dedup) return await this.once(request, dedup);
    if (key === undefined) {
      const admitted = await this.admitted(request);
      const executionId = newExecutionId();
      await this.start(executionId, admitted.plan, request);
      return { executionId, entry: admitted.entry, replayed: false };
    }
    const existing = await this.submissions.find(keyOwner, key);
    const submission = existing ?? (await this.begin(request, keyOwner, key));
    if (!this.isOf(submission, request, key)) {
      throw new FacadeError(
        409,
        'IDEMPOTENCY_KEY_REUSED',
        `the Idempotency-Key ${key} was already used for another request`,
        { at: 'header.idempotency-key' },
      );
    }
    const entry = (await this.library.catalog.byId(submission.catalog_id))!;
    const { execution_id: executionId } = submission;
    if (!submission.started_at) {
      await this.start(executionId, await this.library.runnable(entry, principal), request);
      await this.submissions.started(keyOwner, key, executionId);
    }
    return { executionId, entry, replayed: existing !== undefined };
  }

  /** The row of the key says which id is its execution's; the id of the workflow, who started it. */
  private async once(request: SubmitRequest, dedup: NonNullable<SubmitRequest['dedup']>): Promise<Accepted> {
    const scope = `dedup/${request.trigger?.id ?? request.parentExecutionId ?? ''}`;
    const { key, windowSecs } = dedup;
    const admitted = await this.admitted(request).catch(async (error: unknown) => {
      // One that was started before is no less started because the playbook has changed.
      const kept = await this.submissions.find(scope, key, windowSecs);
      if (kept && (kept.started_at || (await this.isThere(kept)))) return kept;
      throw error;
    });
    if (!('plan' in admitted)) return await this.firstOf(admitted);
    const { entry, plan } = admitted;
    const { catalog_id } = entry;
    const mine = { fingerprint: '', execution_id: newExecutionId(), catalog_id };
    const kept = await this.submissions.claim(scope, key, windowSecs, mine);
    const isFirst = !kept.started_at && (await this.start(kept.execution_id, plan, request));
    if (!kept.started_at) this.submissions.startedSoon(scope, key, kept.execution_id);
    return isFirst ? { executionId: kept.execution_id, entry, replayed: false } : await this.firstOf(kept);
  }

  /** What was started a moment ago is not noted yet (`startedSoon`). */
  private async isThere({ execution_id: id }: Submission): Promise<boolean> {
    return await described(this.services.client, id).then(
      () => true,
      (error: unknown) => {
        if (hasCode(error, 'EXECUTION_NOT_FOUND')) return false;
        throw error;
      },
    );
  }

  private async firstOf({ execution_id: executionId, catalog_id }: Submission): Promise<Accepted> {
    return { executionId, entry: (await this.library.catalog.byId(catalog_id))!, replayed: true };
  }

  private async begin(request: SubmitRequest, owner: string, key: string): Promise<Submission> {
    const { catalog_id } = (await this.admitted(request)).entry;
    return await this.submissions.begin(owner, key, {
      fingerprint: this.fingerprints.of(understood(request), key),
      execution_id: newExecutionId(),
      catalog_id,
    });
  }

  private isOf({ fingerprint }: Submission, request: SubmitRequest, key: string): boolean {
    return this.fingerprints.matches(fingerprint, understood(request), key);
  }

  /** The entry and its plan, after all checks have passed. */
  private async admitted({ reference, payload, principal, trigger }: SubmitRequest): Promise<Admitted> {
    const { path, version } = reference;
    const entry =
      trigger && path !== undefined && version === undefined
        ? await this.library.latestEntry(path)
        : await entryOf(this.library.catalog, reference);
    if (entry.deleted_at)
      throw new FacadeError(
        404,
        'CATALOG_ENTRY_NOT_FOUND',
        `Executable catalog entry not found: ${entry.path}@${entry.version} is deleted`,
      );
    const plan = await this.library.runnable(entry, principal);
    refuseWrongInputs(plan.inputs, payload);
    return { entry, plan };
  }

  /** Also correct if another process starts it concurrently: then false. */
  private async start(executionId: string, whole: Plan, request: SubmitRequest): Promise<boolean> {
    const { payload, pool, principal, returnResult } = request;
    const plan = pool === undefined ? whole : inPool(whole, pool);
    try {
      const { parentExecutionId, calledFrom, trigger, labels } = request;
      const input = { plan, payload, ...compact({ returnResult }) };
      const origin = compact({ parentExecutionId, calledFrom, trigger, labels });
      await startSealed(this.services, input, executionId, { ...origin, caller: principal });
      return true;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
      throw error;
    }
  }
}

/** The normalised request: alternative field names make no difference. */
function understood({ reference, payload, parentExecutionId, pool, labels }: SubmitRequest): Json {
  return {
    reference,
    payload,
    parent: parentExecutionId ?? null,
    ...compact({ pool, labels }),
  } as unknown as Json;
}
