/**
 * Converts responses of the Kubernetes API to errors of the task, with the codes of container engines where they
 * mean the same.
 */
import { isMapping, type ErrorKind } from '../../../../src/plan';
import { rootCause } from '../../../framework/tool/cause';
import { ToolError } from '../../../framework/tool/outcome';

/** The operation that the API refused. */
export type Stage = 'create' | 'run';

interface Rule {
  readonly stage?: Stage;
  readonly status: readonly number[];
  readonly message?: RegExp;
  readonly kind: ErrorKind;
  readonly code: string;
  readonly retryable: boolean;
}

/** First match applies. */
const RULES: readonly Rule[] = [
  { status: [401], kind: 'auth', code: 'ENGINE_DENIED', retryable: false },
  {
    status: [403],
    message: /exceeded quota|insufficient quota/i,
    kind: 'rate_limit',
    code: 'QUOTA_EXCEEDED',
    retryable: true,
  },
  {
    status: [403],
    message: /being terminated/i,
    kind: 'not_found',
    code: 'NAMESPACE_NOT_FOUND',
    retryable: false,
  },
  {
    status: [400, 403],
    message: /admission|PodSecurity|denied the request|policy/i,
    kind: 'validation',
    code: 'CONTAINER_REFUSED',
    retryable: false,
  },
  { status: [403], kind: 'auth', code: 'ENGINE_DENIED', retryable: false },
  {
    stage: 'create',
    status: [404],
    message: /namespace/i,
    kind: 'not_found',
    code: 'NAMESPACE_NOT_FOUND',
    retryable: false,
  },
  { stage: 'run', status: [404], kind: 'connection', code: 'CONTAINER_LOST', retryable: true },
  { status: [409], kind: 'connection', code: 'CONTAINER_LOST', retryable: true },
  { status: [400, 404, 405, 413, 415, 422], kind: 'validation', code: 'CONTAINER_REFUSED', retryable: false },
  { status: [429], kind: 'rate_limit', code: 'ENGINE_BUSY', retryable: true },
];

const FAILED_STAGES: Readonly<Record<Stage, string>> = {
  create: 'the Job cannot be made',
  run: 'the Job was lost',
};

const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|EPROTO|ERR_SSL/;

/** Whether to retry while the Job runs. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ToolError) return false;
  const status = statusOf(error);
  if (status !== undefined) return status === 429 || status >= 500;
  return !UNTRUSTED.test(codeOf(error));
}

/** @param server address of the API, for the message */
export function clusterError(error: unknown, stage: Stage, server: string): ToolError {
  if (error instanceof ToolError) return error;
  const status = statusOf(error);
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
  const reason = messageOf(error);
  const rule = RULES.find(
    (one) =>
      (one.stage === undefined || one.stage === stage) &&
      one.status.includes(status) &&
      (one.message === undefined || one.message.test(reason)),
  ) ?? { kind: 'server_error' as const, code: 'ENGINE_ERROR', retryable: true };
  const { kind, code, retryable } = rule;
  return new ToolError({
    kind,
    code,
    message: `container: ${FAILED_STAGES[stage]}: ${reason}`,
    retryable,
    status,
  });
}

/** Of a response of the API; its errors have the status as a number where others have a name. */
export function statusOf(error: unknown): number | undefined {
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
  let status = body;
  try {
    if (typeof body === 'string') status = JSON.parse(body) as unknown;
  } catch {
    // A proxy in front of the API responds in its own format.
  }
  const text = isMapping(status) ? status['message'] : status;
  return (typeof text === 'string' && text.trim() !== '' ? text : (message ?? 'no reason given'))
    .trim()
    .slice(0, 1000);
}
