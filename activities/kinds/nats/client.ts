/** The official NATS client: a connection per task, and the mapping of its errors to outcomes. Its packages are optional. */
import { type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import { type Kvm } from '@nats-io/kv';
import { type Objm } from '@nats-io/obj';
import type * as Transport from '@nats-io/transport-node';
import { type ErrorKind } from '../../../src/language/plan';
import { rootCause } from '../../framework/tool/cause';
import { type Credential } from '../../framework/credentials/credential';
import { type Deadline } from '../../framework/tool/deadline';
import { toolPackage } from '../../framework/tool/optional-package';
import { ToolError } from '../../framework/tool/outcome';
import { isTlsFailure, tlsHint } from '../../framework/tool/tls-failure';
import { unlessStopped } from '../../framework/tool/unless-stopped';
import { optionsOf } from './login';

export interface Client {
  newHeaders(): Transport.MsgHdrs;
  kv(): Promise<Kvm>;
  objects(): Promise<Objm>;
  stream(): Promise<JetStreamClient>;
  manager(): Promise<JetStreamManager>;
}

/** @throws ToolError for any failure, also when the task must stop */
export async function withNats<T>(
  credential: Credential | undefined,
  connectMs: number,
  deadline: Deadline,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  try {
    const transport = await toolPackage(
      'nats',
      '@nats-io/transport-node',
      () => import('@nats-io/transport-node'),
    );
    const options = await optionsOf(credential, connectMs, transport);
    const connection = await unlessStopped(transport.connect(options), deadline);
    try {
      return await unlessStopped(work(clientOn(transport, connection)), deadline);
    } finally {
      await connection.close().catch(() => undefined);
    }
  } catch (error) {
    throw deadline.reason() ?? natsFailure(error);
  }
}

function clientOn(transport: typeof Transport, connection: Transport.NatsConnection): Client {
  const jetstream = () => toolPackage('nats', '@nats-io/jetstream', () => import('@nats-io/jetstream'));
  return {
    newHeaders: () => transport.headers(),
    stream: async () => (await jetstream()).jetstream(connection),
    manager: async () => (await jetstream()).jetstreamManager(connection),
    async kv() {
      const { Kvm } = await toolPackage('nats', '@nats-io/kv', () => import('@nats-io/kv'));
      return new Kvm(connection);
    },
    async objects() {
      const { Objm } = await toolPackage('nats', '@nats-io/obj', () => import('@nats-io/obj'));
      return new Objm(connection);
    },
  };
}

/** Errors of the client by class name, so that instances from another copy of the package match too. */
const BY_NAME: Readonly<Record<string, readonly [kind: ErrorKind, code: string, retryable: boolean]>> = {
  AuthorizationError: ['auth', 'NOT_AUTHORIZED', false],
  UserAuthenticationExpiredError: ['auth', 'NOT_AUTHORIZED', false],
  PermissionViolationError: ['auth', 'NOT_PERMITTED', false],
  TimeoutError: ['timeout', 'NATS_TIMEOUT', true],
  InvalidSubjectError: ['validation', 'INVALID_NAME', false],
  InvalidNameError: ['validation', 'INVALID_NAME', false],
  InvalidArgumentError: ['validation', 'INVALID_NAME', false],
};

/** Error codes of the JetStream API. */
const BY_CODE: Readonly<Record<number, readonly [kind: ErrorKind, retryable: boolean]>> = {
  10059: ['not_found', false], // stream (a bucket is a stream)
  10014: ['not_found', false], // consumer
  10037: ['not_found', false], // message
  10071: ['client_error', false], // wrong last sequence: a concurrent write
  10039: ['client_error', false], // JetStream is not enabled for the account
};

/** What went wrong, for whoever reads it: nothing of a login. */
export function natsFailure(error: unknown): ToolError {
  if (error instanceof ToolError) return error;
  const { name, message } = error as Error;
  const summary = `nats: ${message.split('\n')[0]}`;
  const fail = (kind: ErrorKind, code: string, retryable: boolean, text = summary): ToolError =>
    new ToolError({ kind, code, message: text, retryable });
  const api = apiError(error);
  if (api) {
    const [kind, retryable] =
      BY_CODE[api.err_code] ?? (api.code >= 500 ? ['server_error', true] : ['client_error', false]);
    return fail(kind, `NATS_${api.err_code}`, retryable);
  }
  const entry = BY_NAME[name] ?? BY_NAME[(error as { cause?: Error }).cause?.name ?? ''];
  if (entry) return fail(...entry);
  if (name === 'JetStreamNotEnabled' || name === 'NoRespondersError' || /no responders/i.test(message)) {
    // The client also reports "JetStream is not enabled" when no stream takes the subject.
    return fail(
      'not_found',
      'NO_STREAM',
      false,
      'nats: no stream takes this subject, or JetStream is not enabled',
    );
  }
  const cause = rootCause(error) as NodeJS.ErrnoException;
  const code = cause.code ?? '';
  const text = `${message} ${code}`;
  if (isTlsFailure(code) || /certificate|\btls\b/i.test(message)) {
    const hint = tlsHint(code, { ca: 'tls_ca', identity: 'tls_cert, tls_key' });
    return fail('connection', 'TLS_ERROR', false, `nats: TLS failed (${code || message})${hint}`);
  }
  const refused = /E[A-Z]{5,}/.exec(text)?.[0];
  return fail('connection', refused ?? (/refused/i.test(text) ? 'ECONNREFUSED' : 'CONNECTION_LOST'), true);
}

/** JetStreamApiError and its subclasses (StreamNotFoundError, …), recognised by their fields. */
function apiError(error: unknown): { code: number; err_code: number } | undefined {
  const { apiError: details } = error as { apiError?: () => { code: number; err_code: number } };
  return typeof details === 'function' ? details.call(error) : undefined;
}
