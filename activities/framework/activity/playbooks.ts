/** The activity that resolves the path of a sub-playbook to its Plan when it is called. */
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { compressible } from '../../../src/storage/payloads';
import {
  catalogMemo,
  inputNames,
  isMapping,
  type JsonObject,
  type Plan,
  type PlanValue,
  plainSecretInputs,
  type ResolvedPlaybook,
  type ResolveRequest,
  shownPlace,
  unknownInputs,
  wrongInputs,
} from '../../../src/language/plan';
import { Context } from '@temporalio/activity';
import { refuseCancelled, type StartOf } from './cascade';
import { type CountFamily, DEFAULT_FAMILY_LIMIT, executionFamily, Families, scheduleFamily } from './family';
import { PlaybookRefused, type PlaybookResolver } from './playbook-refused';

/** A plain value is already in a history: it cannot be made secret here, only rejected. */
function refuseSecrets(plan: Plan, payload: JsonObject, path: string): void {
  const [place] = plainSecretInputs(plan, payload);
  if (place === undefined) return;
  const message =
    `the input '${shownPlace(place)}' of playbook ${path} is secret but was passed as a plain value: start the playbook with \`run\` or ` +
    'over REST, which encrypt it; a calling playbook must pass a secret: from its keychain, from the ' +
    'kind secrets, from `spec.sensitive`, or from an input that it declares secret too';
  throw new PlaybookRefused('SECRET_INPUT', message);
}

/**
 * @param limit size of a plan as JSON, in bytes: the limit of Temporal or of external storage
 * @param familyLimit sub-playbooks of one family that are open at once
 */
export function resolveActivity(
  resolver: PlaybookResolver,
  limit: number,
  familyLimit: number = DEFAULT_FAMILY_LIMIT,
): (request: ResolveRequest) => Promise<Plan | ResolvedPlaybook> {
  const families = new Families(familyLimit, countOf);
  return async ({ payload, family, onlyInputs, callers = [], schedule, ...request }) => {
    try {
      await refuseCancelled(request.path, callers, startOf);
      if (schedule !== undefined) await refuseDeleted(request.path, schedule);
      const root = schedule === undefined ? family && executionFamily(family) : scheduleFamily(schedule);
      if (root && Context.current().info.attempt === 1) {
        const wait = await families.admit(request.path, root);
        if (wait > 0) throw inTurn(wait);
      }
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
          'the payload of a playbook must be a mapping of its inputs',
        );
      refuseSecrets(plan, payload, request.path);
      refuseWrong(plan, payload, request.path, onlyInputs);
      return compressible({ plan, memo: catalogMemo(plan) });
    } catch (error) {
      if (!(error instanceof PlaybookRefused)) throw error;
      const { code: type, message, details } = error;
      const failure = ApplicationFailure.create({ message, type, nonRetryable: true, details: [details] });
      // The worker's stack trace says nothing about the playbook, but Temporal would store and show it.
      failure.stack = '';
      throw failure;
    }
  };
}

/** Temporal repeats the request after that time: nobody's slot is taken meanwhile. */
function inTurn(wait: number): ApplicationFailure {
  return ApplicationFailure.create({
    message: `its family has many open executions: it begins in ${Math.ceil(wait / 1000)} s`,
    type: 'PLAYBOOK_FAMILY_PACE',
    nextRetryDelay: wait,
    category: ApplicationFailureCategory.BENIGN,
  });
}

const startOf: StartOf = async (workflow) => {
  try {
    return (await Context.current().client.workflow.getHandle(workflow).describe()).startTime;
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return undefined;
    throw error;
  }
};

/** A firing may wait while the server is busy: what has not begun when its schedule is deleted does not begin. */
async function refuseDeleted(path: string, schedule: string): Promise<void> {
  try {
    await Context.current().client.schedule.getHandle(schedule).describe();
  } catch (error) {
    if (!(error instanceof Error && error.name === 'ScheduleNotFoundError')) throw error;
    const message = `playbook ${path} was not started: the schedule '${schedule}' has been deleted`;
    throw new PlaybookRefused('SCHEDULE_DELETED', message);
  }
}

/** One request of both counts. */
const countOf: CountFamily = (query) =>
  Context.current().client.workflow.count(`${query} GROUP BY ExecutionStatus`);

/** The checks that a submission over REST would get. @param must keys that have to be inputs */
function refuseWrong(
  { inputs, workload }: Plan,
  payload: JsonObject,
  path: string,
  must: readonly string[] | undefined,
): void {
  const accepts = inputs ?? { schemas: {}, defaulted: must ? keysOf(workload) : [] };
  const wrong = [...wrongInputs(accepts, payload), ...(must ? unknownInputs(accepts, must) : [])];
  if (wrong.length === 0) return;
  const problems = wrong.map(({ at, message }) => `${at} ${message}`).join('; ');
  const all = must ? `; its inputs are: ${inputNames(accepts).join(', ') || 'none'}` : '';
  const message = `playbook ${path} does not accept this input: ${problems}${all}`;
  throw new PlaybookRefused('WORKLOAD_INVALID', message, {
    fields: wrong.map(({ at, message }) => ({ at, message })),
  });
}

function keysOf(workload: PlanValue): string[] {
  if ('map' in workload) return workload.map.map(([key]) => key);
  return 'const' in workload && isMapping(workload.const) ? Object.keys(workload.const) : [];
}
