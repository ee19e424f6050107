/** The activity that turns the path of a sub-playbook into its Plan, when it is called (D23). */
import { ApplicationFailure } from '@temporalio/common';
import { type JsonObject, type Plan, type PlaybookRequest } from '../src/plan';

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
  | 'PLAYBOOK_TOO_LARGE';

/** A sub-playbook that cannot be called; becomes the outcome of the task that calls it. */
export class PlaybookRefused extends Error {
  override readonly name = 'PlaybookRefused';

  constructor(
    readonly code: RefusalCode,
    message: string,
    readonly details: JsonObject = {},
  ) {
    super(message);
  }
}

/** @param limit bytes of a plan as JSON; what Temporal takes, or external storage */
export function resolveActivity(
  resolver: PlaybookResolver,
  limit: number,
): (request: PlaybookRequest) => Promise<Plan> {
  return async (request) => {
    try {
      const plan = await resolver.resolve(request);
      const bytes = Buffer.byteLength(JSON.stringify(plan));
      if (bytes > limit) {
        const message = `playbook ${request.path} is ${bytes} bytes compiled, more than ${limit}`;
        throw new PlaybookRefused('PLAYBOOK_TOO_LARGE', message);
      }
      return plan;
    } catch (error) {
      if (!(error instanceof PlaybookRefused)) throw error;
      const { code: type, message, details } = error;
      const failure = ApplicationFailure.create({ message, type, nonRetryable: true, details: [details] });
      // Where our code threw says nothing about the playbook; Temporal would store and show it.
      failure.stack = '';
      throw failure;
    }
  };
}
