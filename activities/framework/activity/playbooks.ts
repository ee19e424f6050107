/** The activity that turns the path of a sub-playbook into its Plan, when it is called. */
import { ApplicationFailure } from '@temporalio/common';
import { compressible } from '../../../src/payloads';
import {
  catalogMemo,
  isMapping,
  type JsonObject,
  type Plan,
  plainSecretInputs,
  type ResolvedPlaybook,
  type ResolveRequest,
  shownPlace,
  wrongInputs,
} from '../../../src/plan';
import { PlaybookRefused, type PlaybookResolver } from './playbook-refused';

/** What stands in the open is in a history by then: it cannot be made a secret here, only refused. */
function refuseSecrets(plan: Plan, payload: JsonObject, path: string): void {
  const [place] = plainSecretInputs(plan, payload);
  if (place === undefined) return;
  const message =
    `the input '${shownPlace(place)}' of playbook ${path} is secret, and it is given in the open: start it by \`run\` or ` +
    'over REST, which seal it; a playbook that calls it gives it what it has as a secret itself: of its keychain, of the ' +
    'kind secrets, of `spec.sensitive`, or of an input that it calls secret too';
  throw new PlaybookRefused('SECRET_INPUT', message);
}

/** @param limit bytes of a plan as JSON; what Temporal takes, or external storage */
export function resolveActivity(
  resolver: PlaybookResolver,
  limit: number,
): (request: ResolveRequest) => Promise<Plan | ResolvedPlaybook> {
  return async ({ payload, ...request }) => {
    try {
      const plan = await resolver.resolve(request);
      const bytes = Buffer.byteLength(JSON.stringify(plan));
      if (bytes > limit) {
        const message = `playbook ${request.path} is ${bytes} bytes compiled, more than ${limit}`;
        throw new PlaybookRefused('PLAYBOOK_TOO_LARGE', message);
      }
      if (payload === undefined) return compressible(plan);
      if (!isMapping(payload))
        throw new PlaybookRefused(
          'WORKLOAD_INVALID',
          'what a playbook starts with is a mapping of its inputs',
        );
      refuseSecrets(plan, payload, request.path);
      refuseWrong(plan, payload, request.path);
      return compressible({ plan, memo: catalogMemo(plan) });
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

/** As a submission over REST would be. */
function refuseWrong({ inputs }: Plan, payload: JsonObject, path: string): void {
  const wrong = wrongInputs(inputs, payload);
  if (wrong.length === 0) return;
  const problems = wrong.map(({ at, message }) => `${at} ${message}`).join('; ');
  throw new PlaybookRefused('WORKLOAD_INVALID', `playbook ${path} does not take this input: ${problems}`, {
    fields: wrong.map(({ at, message }) => ({ at, message })),
  });
}
