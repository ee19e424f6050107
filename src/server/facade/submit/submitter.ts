/**
 * Submissions: from a client's reference to a running execution. With a key, a submission is recorded before it is
 * started; a repetition then completes what a killed facade began and never starts a second execution.
 */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { type Json, type JsonObject } from '../../../language/plan';
import { type CatalogEntry, type Submission, type Submissions } from '../../store';
import { newExecutionId } from '../../../temporal/client';
import { type Library } from '../catalog/library';
import { entryOf, type CatalogReference } from '../catalog/reference';
import { FacadeError } from '../http/errors';
import { type FacadeServices } from '../services';
import { Fingerprints } from './fingerprint';
import { refuseWrongInputs } from './inputs';
import { startSealed } from './start-sealed';

export interface SubmitRequest {
  readonly reference: CatalogReference;
  readonly payload: JsonObject;
  readonly parentExecutionId?: string;
  /** The client's Idempotency-Key, and its owner. */
  readonly key?: string;
  readonly principal: string;
}

export interface Accepted {
  readonly executionId: string;
  readonly entry: CatalogEntry;
  /** The key was known: this is the execution of an earlier request. */
  readonly replayed: boolean;
}

export class Submitter {
  private readonly fingerprints: Fingerprints;

  constructor(
    private readonly services: Pick<FacadeServices, 'client' | 'sealed' | 'keys' | 'metrics'>,
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
    const { key, principal } = request;
    if (key === undefined) {
      const entry = await this.admitted(request);
      const executionId = newExecutionId();
      await this.start(executionId, entry, request);
      return { executionId, entry, replayed: false };
    }
    const existing = await this.submissions.find(principal, key);
    const submission = existing ?? (await this.begin(request, principal, key));
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
      await this.start(executionId, entry, request);
      await this.submissions.started(principal, key);
    }
    return { executionId, entry, replayed: existing !== undefined };
  }

  private async begin(request: SubmitRequest, principal: string, key: string): Promise<Submission> {
    const { catalog_id } = await this.admitted(request);
    return await this.submissions.begin(principal, key, {
      fingerprint: this.fingerprints.of(understood(request), key),
      execution_id: newExecutionId(),
      catalog_id,
    });
  }

  private isOf({ fingerprint }: Submission, request: SubmitRequest, key: string): boolean {
    return this.fingerprints.matches(fingerprint, understood(request), key);
  }

  /** The entry, after all checks have passed. */
  private async admitted({ reference, payload, principal }: SubmitRequest): Promise<CatalogEntry> {
    const entry = await entryOf(this.library.catalog, reference);
    if (entry.deleted_at)
      throw new FacadeError(
        404,
        'CATALOG_ENTRY_NOT_FOUND',
        `Executable catalog entry not found: ${entry.path}@${entry.version} is deleted`,
      );
    refuseWrongInputs((await this.library.runnable(entry, principal)).inputs, payload);
    return entry;
  }

  /** Also correct if another process starts it concurrently. */
  private async start(
    executionId: string,
    entry: CatalogEntry,
    { payload, parentExecutionId, principal }: SubmitRequest,
  ): Promise<void> {
    const plan = await this.library.runnable(entry, principal);
    try {
      await startSealed(this.services, { plan, payload }, executionId, { parentExecutionId });
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return;
      throw error;
    }
  }
}

/** The normalised request: alternative field names make no difference. */
function understood({ reference, payload, parentExecutionId }: SubmitRequest): Json {
  return { reference, payload, parent: parentExecutionId ?? null } as unknown as Json;
}
