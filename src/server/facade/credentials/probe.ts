/** Tests a credential where it will be used: a worker opens it and makes a harmless request (`probe` of its kind). */
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { messageOf } from '../../../language/errors';
import { type JsonObject, TOOL_KINDS } from '../../../language/plan';
import { newExecutionId } from '../../../temporal/client';
import { type CredentialInfo } from '../../store';
import { type CredentialTested } from '../documents';
import { FacadeError, invalidField } from '../http/errors';
import { type RouteServices } from '../services';
import { submittedPlan } from '../submit/revision';
import { startSealed } from '../submit/start-sealed';
import { kindsOfType } from './types';

/** Milliseconds. */
const PATIENCE = 20_000;

/**
 * @param url what requests are sent to, for kinds whose credentials name no server
 * @throws FacadeError 422 `CREDENTIAL_UNTESTABLE`, `VALIDATION` without a `url` that is needed
 */
export async function testCredential(
  services: RouteServices,
  { name, type, paths }: CredentialInfo,
  url: string | undefined,
  caller: string,
): Promise<CredentialTested> {
  const kind = kindsOfType(type, services.kinds ?? new Map()).find((one) => TOOL_KINDS[one]?.probe);
  const probe = kind === undefined ? undefined : TOOL_KINDS[kind]?.probe;
  if (!probe)
    throw new FacadeError(422, 'CREDENTIAL_UNTESTABLE', `there is no test for credentials of type ${type}`);
  if (url === undefined && JSON.stringify(probe).includes('workload.url'))
    throw invalidField('body.url', 'VALIDATION', `body.url: a credential of type ${type} names no server`);
  const content = playbookOf(pathFor(paths), { kind: kind!, auth: name, timeout: 10, ...probe });
  const plan = await submittedPlan(services, JSON.stringify(content), caller);
  const id = newExecutionId();
  const payload: JsonObject = url === undefined ? {} : { url };
  const { handle } = await startSealed(services, { plan, payload }, id, {
    caller,
    labels: { test: 'credential' },
  });
  const patience = new Promise<CredentialTested>((resolve) => {
    setTimeout(() => {
      void handle.cancel().catch(() => undefined);
      const message = `no worker of kind ${kind} answered within ${PATIENCE / 1000} s`;
      resolve({ ok: false, execution_id: id, code: 'TEST_UNANSWERED', message });
    }, PATIENCE).unref();
  });
  const ended = handle.result().then(
    () => ({ ok: true, execution_id: id, code: null, message: null }),
    (error: unknown) => ({ ok: false, execution_id: id, ...causeOf(error) }),
  );
  return await Promise.race([ended, patience]);
}

function playbookOf(path: string, tool: JsonObject): JsonObject {
  return {
    apiVersion: 'noetl.io/v2',
    kind: 'Playbook',
    metadata: { name: 'credential test', path, run_name: `test of ${String(tool['auth'])}` },
    workload: { url: null },
    workflow: [{ step: 'start', tool }],
  };
}

/** A path whose executions may open it. */
function pathFor(paths: readonly string[] | null): string {
  return (paths?.[0] ?? 'noetl/*').replaceAll('*', 'credential-test');
}

function causeOf(error: unknown): { code: string; message: string } {
  const cause = error instanceof WorkflowFailedError ? error.cause : error;
  const code = cause instanceof ApplicationFailure ? cause.type : undefined;
  return { code: code ?? 'FAILED', message: messageOf(cause) };
}
