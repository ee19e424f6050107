/**
 * Converts responses of the Kubernetes API to errors of the task, with the codes of container engines where they
 * mean the same.
 */
import { shortenedText } from '../../../framework/tool/bounded';
import { isMapping } from '../../../../src/language/plan';
import { rootCause } from '../../../framework/tool/cause';
import { jsonOr } from '../../../../src/language/plan/json-text';
import { ToolError } from '../../../framework/tool/outcome';
import { failure, type ErrorRule } from '../errors';

/** The operation that the API refused. */
export type PodStage = 'create' | 'run';

const QUOTA = /exceeded quota|insufficient quota/i;
const POLICY = /admission|PodSecurity|denied the request|policy/i;

const RULES: readonly ErrorRule<PodStage>[] = [
  { status: [401], kind: 'auth', code: 'ENGINE_DENIED' },
  { status: [403], message: QUOTA, kind: 'rate_limit', code: 'QUOTA_EXCEEDED' },
  { status: [403], message: /being terminated/i, kind: 'not_found', code: 'NAMESPACE_NOT_FOUND' },
  { status: [400, 403], message: POLICY, kind: 'validation', code: 'CONTAINER_REFUSED' },
  { status: [403], kind: 'auth', code: 'ENGINE_DENIED' },
  { stage: 'create', status: [404], message: /namespace/i, kind: 'not_found', code: 'NAMESPACE_NOT_FOUND' },
  { stage: 'run', status: [404], kind: 'connection', code: 'CONTAINER_LOST' },
  { status: [409], kind: 'connection', code: 'CONTAINER_LOST' },
  { status: [400, 404, 405, 413, 415, 422], kind: 'validation', code: 'CONTAINER_REFUSED' },
  { status: [429], kind: 'rate_limit', code: 'ENGINE_BUSY' },
];

const FAILED_STAGES: Readonly<Record<PodStage, string>> = {
  create: 'the Job cannot be made',
  run: 'the Job was lost',
};

const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|EPROTO|ERR_SSL/;

/** Whether to retry while the Job runs. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ToolError) return false;
  const status = httpStatusOf(error);
  if (status !== undefined) return status === 429 || status >= 500;
  return !UNTRUSTED.test(codeOf(error));
}

/** @param server address of the API, for the message */
export function clusterError(error: unknown, stage: PodStage, server: string): ToolError {
  if (error instanceof ToolError) return error;
  const status = httpStatusOf(error);
  if (status === undefined) {
    const code = codeOf(error);
    const untrusted = UNTRUSTED.test(code);
    const why = code || rootCause(error).message;
    return new ToolError({
      kind: 'connection',
      code: untrusted ? 'ENGINE_UNTRUSTED' : 'ENGINE_UNREACHABLE',
      message: `container: the Kubernetes API at ${server} ${untrusted ? 'is not to be trusted' : 'cannot be reached'} (${why})`,
      retryable: !untrusted,
    });
  }
  return failure(RULES, { stage, status, reason: messageOf(error) }, FAILED_STAGES[stage]);
}

/** Of a response of the API; its errors have the status as a number where others have a name. */
export function httpStatusOf(error: unknown): number | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' ? code : undefined;
}

function codeOf(error: unknown): string {
  const { name, code } = rootCause(error) as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : name === 'AbortError' ? 'no answer in time' : '';
}

/** Its `Status.message`, if any. */
function messageOf(error: unknown): string {
  const { body, message } = error as { body?: unknown; message?: string };
  // A proxy in front of the API responds in its own format.
  const status = typeof body === 'string' ? jsonOr(body, body) : body;
  const text = isMapping(status) ? status['message'] : status;
  const why = typeof text === 'string' && text.trim() !== '' ? text : (message ?? 'no reason given');
  return shortenedText(why.trim(), 1000);
}
