/** Converts responses of container engines to errors of the task. */
import { type ErrorKind } from '../../../src/plan';
import { asError, rootCause } from '../../framework/tool/cause';
import { ToolError } from '../../framework/tool/outcome';

/** The operation that the engine refused. */
export type Stage = 'pull' | 'create' | 'start' | 'run';

interface Rule {
  readonly stage?: Stage;
  readonly status?: readonly number[];
  readonly message?: RegExp;
  readonly kind: ErrorKind;
  readonly code: string;
  readonly retryable: boolean;
}

/**
 * First match applies. Engines share few statuses: the message is needed to distinguish a missing image from a
 * missing network.
 */
const RULES: readonly Rule[] = [
  {
    stage: 'pull',
    message: /unauthorized|authentication required|denied/i,
    kind: 'auth',
    code: 'IMAGE_DENIED',
    retryable: false,
  },
  {
    stage: 'pull',
    message: /not found|unknown|no such image|invalid reference|does not resolve|no policy/i,
    kind: 'not_found',
    code: 'IMAGE_NOT_FOUND',
    retryable: false,
  },
  { stage: 'pull', kind: 'connection', code: 'IMAGE_PULL', retryable: true },
  { stage: 'create', status: [404], kind: 'not_found', code: 'IMAGE_NOT_FOUND', retryable: false },
  {
    stage: 'start',
    status: [400, 404, 500],
    message: /executable|no such file|permission denied|exec format|not a directory|oci/i,
    kind: 'validation',
    code: 'CONTAINER_START',
    retryable: false,
  },
  { stage: 'run', status: [404, 409], kind: 'connection', code: 'CONTAINER_LOST', retryable: true },
  { status: [400, 403, 404, 405, 409, 422], kind: 'validation', code: 'CONTAINER_REFUSED', retryable: false },
  { status: [401], kind: 'auth', code: 'ENGINE_DENIED', retryable: false },
  { status: [429], kind: 'rate_limit', code: 'ENGINE_BUSY', retryable: true },
];

const FAILED_STAGES: Readonly<Record<Stage, string>> = {
  pull: 'the image cannot be pulled',
  create: 'the container cannot be made',
  start: 'the container cannot be started',
  run: 'the container was lost',
};

/** @param engine its address, for the message */
export function engineError(error: unknown, stage: Stage, engine: string): ToolError {
  if (error instanceof ToolError) return error;
  const cause = rootCause(error);
  const { statusCode } = error as { statusCode?: number };
  const reason = messageOf(error);
  if (statusCode === undefined && stage !== 'pull') {
    const message = `container: the engine at ${engine} cannot be reached (${(cause as NodeJS.ErrnoException).code ?? cause.message})`;
    return new ToolError({ kind: 'connection', code: 'ENGINE_UNREACHABLE', message, retryable: true });
  }
  const rule = RULES.find(
    (one) =>
      (one.stage === undefined || one.stage === stage) &&
      (one.status === undefined || (statusCode !== undefined && one.status.includes(statusCode))) &&
      (one.message === undefined || one.message.test(reason)),
  ) ?? { kind: 'server_error' as const, code: 'ENGINE_ERROR', retryable: true };
  const { kind, code, retryable } = rule;
  const status = statusCode === undefined ? {} : { status: statusCode };
  return new ToolError({
    kind,
    code,
    message: `container: ${FAILED_STAGES[stage]}: ${reason}`,
    retryable,
    ...status,
  });
}

/** The engine's message, without the client's prefix `(HTTP code 404) no such container -`. */
function messageOf(error: unknown): string {
  const { json } = error as { json?: { message?: string } };
  const text = json?.message ?? asError(error).message.replace(/^\(HTTP code \d+\) [^-]*- /, '');
  return text.trim().slice(0, 1000);
}
