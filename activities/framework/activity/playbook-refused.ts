/** Who turns a path into a Plan, and what it says of one that cannot be called: without anything of Temporal. */
import { CodedError } from '../../../src/errors';
import { type JsonObject, type Plan, type PlaybookRequest } from '../../../src/plan';

/** Whoever knows playbooks: a folder tree, a catalog. */
export interface PlaybookResolver {
  /** @throws PlaybookRefused when there is no such playbook, or it cannot be run; anything else is tried again. */
  resolve(request: PlaybookRequest): Promise<Plan>;
}

export type RefusalCode =
  | 'PLAYBOOK_NOT_FOUND'
  /** Two playbooks have the path and the version. */
  | 'PLAYBOOK_AMBIGUOUS'
  /** It does not compile; `details.diagnostics` says why. */
  | 'PLAYBOOK_INVALID'
  | 'PLAYBOOK_TOO_LARGE'
  /** What it is called with is not what it says of its inputs; `details.fields` says of each why. */
  | 'WORKLOAD_INVALID'
  /** The caller gives a value in the open for an input that is secret. */
  | 'SECRET_INPUT';

/** A sub-playbook that cannot be called; becomes the outcome of the task that calls it. */
export class PlaybookRefused extends CodedError<RefusalCode> {
  constructor(code: RefusalCode, message: string, details: JsonObject = {}) {
    super(code, message, { details });
  }
}
