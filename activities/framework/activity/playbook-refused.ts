/** The resolver of playbook paths and its errors, independent of Temporal. */
import { CodedError } from '../../../src/language/errors';
import { type JsonObject, type Plan, type PlaybookRequest } from '../../../src/language/plan';

/** A source of playbooks: a folder tree, a catalog. */
export interface PlaybookResolver {
  /** @throws PlaybookRefused when the playbook does not exist or cannot be run; any other error is retried. */
  resolve(request: PlaybookRequest): Promise<Plan>;
}

export type RefusalCode =
  | 'PLAYBOOK_NOT_FOUND'
  /** Two playbooks have this path and version. */
  | 'PLAYBOOK_AMBIGUOUS'
  /** It does not compile; `details.diagnostics` says why. */
  | 'PLAYBOOK_INVALID'
  | 'PLAYBOOK_TOO_LARGE'
  /** Too many executions have the same beginning: an execution that called them, or a schedule. */
  | 'PLAYBOOK_FAMILY'
  /** An execution that calls it, directly or indirectly, was cancelled with all that it started. */
  | 'PLAYBOOK_CANCELLED'
  /** The schedule of this firing is gone. */
  | 'SCHEDULE_DELETED'
  /** The input does not match what the playbook declares; `details.fields` has the reason for each field. */
  | 'WORKLOAD_INVALID'
  /** The caller passes a plain value for a secret input. */
  | 'SECRET_INPUT';

/** A sub-playbook that cannot be called; becomes the outcome of the task that calls it. */
export class PlaybookRefused extends CodedError<RefusalCode> {
  constructor(code: RefusalCode, message: string, details: JsonObject = {}) {
    super(code, message, { details });
  }
}
