/** Converts responses of container engines to errors of the task. */
import { compact, type ErrorKind } from '../../../src/language/plan';
import { shortenedText } from '../../framework/tool/bounded';
import { asError, rootCause } from '../../framework/tool/cause';
import { ToolError } from '../../framework/tool/outcome';

/** The operation that the engine refused. */
export type ContainerStage = 'pull' | 'create' | 'start' | 'run';

/** What a response means; the first rule of a table that matches applies. */
export interface ErrorRule<S> {
  readonly stage?: S;
  readonly status?: readonly number[];
  readonly message?: RegExp;
  readonly kind: ErrorKind;
  readonly code: string;
}

/** Kinds of errors after which the same work may succeed. */
const PASSING: readonly ErrorKind[] = ['connection', 'rate_limit', 'server_error'];

/** The error for a response to an operation. @param title what failed, for the message */
export function failure<S>(
  rules: readonly ErrorRule<S>[],
  { stage, status, reason }: { stage: S; status: number | undefined; reason: string },
  title: string,
): ToolError {
  const { kind, code } = rules.find(
    (one) =>
      (one.stage === undefined || one.stage === stage) &&
      (one.status === undefined || (status !== undefined && one.status.includes(status))) &&
      (one.message === undefined || one.message.test(reason)),
  ) ?? { kind: 'server_error', code: 'ENGINE_ERROR' };
  return new ToolError({
    kind,
    code,
    message: `container: ${title}: ${reason}`,
    retryable: PASSING.includes(kind),
    ...compact({ status }),
  });
}

const DENIED = /unauthorized|authentication required|denied/i;
const UNKNOWN_IMAGE = /not found|unknown|no such image|invalid reference|does not resolve|no policy/i;
const NOT_EXECUTABLE = /executable|no such file|permission denied|exec format|not a directory|oci/i;

/** Engines share few statuses: the message is needed to distinguish a missing image from a missing network. */
const RULES: readonly ErrorRule<ContainerStage>[] = [
  { stage: 'pull', message: DENIED, kind: 'auth', code: 'IMAGE_DENIED' },
  { stage: 'pull', message: UNKNOWN_IMAGE, kind: 'not_found', code: 'IMAGE_NOT_FOUND' },
  { stage: 'pull', kind: 'connection', code: 'IMAGE_PULL' },
  { stage: 'create', status: [404], kind: 'not_found', code: 'IMAGE_NOT_FOUND' },
  {
    stage: 'start',
    status: [400, 404, 500],
    message: NOT_EXECUTABLE,
    kind: 'validation',
    code: 'CONTAINER_START',
  },
  { stage: 'run', status: [404, 409], kind: 'connection', code: 'CONTAINER_LOST' },
  { status: [400, 403, 404, 405, 409, 422], kind: 'validation', code: 'CONTAINER_REFUSED' },
  { status: [401], kind: 'auth', code: 'ENGINE_DENIED' },
  { status: [429], kind: 'rate_limit', code: 'ENGINE_BUSY' },
];

const FAILED_STAGES: Readonly<Record<ContainerStage, string>> = {
  pull: 'the image cannot be pulled',
  create: 'the container cannot be made',
  start: 'the container cannot be started',
  run: 'the container was lost',
};

/** @param engine its address, for the message */
export function engineError(error: unknown, stage: ContainerStage, engine: string): ToolError {
  if (error instanceof ToolError) return error;
  const { statusCode: status } = error as { statusCode?: number };
  if (status !== undefined || stage === 'pull')
    return failure(RULES, { stage, status, reason: messageOf(error) }, FAILED_STAGES[stage]);
  const cause: NodeJS.ErrnoException = rootCause(error);
  const message = `container: the engine at ${engine} cannot be reached (${cause.code ?? cause.message})`;
  return new ToolError({ kind: 'connection', code: 'ENGINE_UNREACHABLE', message, retryable: true });
}

/** The engine's message, without the client's prefix `(HTTP code 404) no such container -`. */
function messageOf(error: unknown): string {
  const { json } = error as { json?: { message?: string } };
  const text = json?.message ?? asError(error).message.replace(/^\(HTTP code \d+\) [^-]*- /, '');
  return shortenedText(text.trim(), 1000);
}
