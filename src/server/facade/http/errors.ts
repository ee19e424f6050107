/** Errors of the REST API, with both keys that NoETL's clients read, and a stable code. */
import { type ErrorRequestHandler, type RequestHandler } from 'express';
import { CodedError, docsOf } from '../../../language/errors';
import { type Answering } from './middleware';
import { requestIdOf } from './request-id';
import { sendClosing } from './unread';

export class FacadeError extends CodedError {
  constructor(
    readonly status: number,
    code: string,
    message: string,
    /** Further fields of the body for programs: `at`, `diagnostics`, … */
    readonly more: Readonly<Record<string, unknown>> = {},
  ) {
    super(code, message);
  }
}

/** @param at the location in the request: `body.content` */
export function invalidField(at: string, code: string, message: string): FacadeError {
  return new FacadeError(422, code, message, { at });
}

export const noRoute: RequestHandler = (request) => {
  throw new FacadeError(404, 'NO_ROUTE', `there is no ${request.method} ${request.path}`);
};

/** Answers a request with an error. */
export type AnswerError = (error: unknown, response: Answering) => void;

/**
 * Responds to every error as JSON; unexpected ones are logged by `report` and reach the client without details.
 *
 * @param foreseen maps an error of another module to a response
 */
export function answerError(
  report: (error: unknown) => void,
  foreseen: (error: unknown) => FacadeError | undefined,
): AnswerError {
  return (error, response) => {
    const failure = error instanceof FacadeError ? error : (foreseen(error) ?? fromExpress(error));
    if (!failure) report(error);
    const { status, code, message, more } =
      failure ?? new FacadeError(500, 'INTERNAL', 'an internal error occurred');
    const request_id = requestIdOf(response);
    const body = { detail: message, error: message, code, docs: docsOf(code), request_id };
    sendClosing(response, status, { ...more, ...body });
  };
}

/** As `answerError`, of Express. */
export function answerErrors(...by: Parameters<typeof answerError>): ErrorRequestHandler {
  const answer = answerError(...by);
  return (error: unknown, _request, response, next) =>
    response.headersSent ? next(error) : answer(error, response);
}

/** Errors thrown by Express' body parsers and routers: client errors with a status. */
export function fromExpress(error: unknown): FacadeError | undefined {
  const { status, type, message } = error as { status?: unknown; type?: unknown; message?: string };
  if (typeof status !== 'number' || status < 400 || status > 499) return undefined;
  return new FacadeError(
    status,
    typeof type === 'string' ? type.toUpperCase().replace(/\W/g, '_') : 'BAD_REQUEST',
    message ?? '',
  );
}

/** @param what is kept in the storage: `task output is` */
export function noStorage(what: string): FacadeError {
  const message = `${what} kept in the storage for large results, and this facade has none`;
  const hint = 'serve --storage, NOETL_STORAGE: the same as that of the workers';
  return new FacadeError(404, 'NO_STORAGE', message, { hint });
}
