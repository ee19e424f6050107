import fs from 'node:fs';
import { Client, type ClientInterceptors, Connection, type ConnectionOptions } from '@temporalio/client';
import { type DataConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { configuredAddress, namespaceOf } from './address';
import { EnvironmentError, messageOf } from '../../language/errors';
import { attributeType, createAttribute, SEARCH_ATTRIBUTE_KEYS } from './naming';
import { compact } from '../../language/plan';

type Env = Record<string, string | undefined>;

type Tls = NonNullable<ConnectionOptions['tls']>;

/** Settings common to both kinds of connection: @temporalio/client's and the worker's native one. */
export interface TemporalTarget {
  /** host:port */
  readonly address: string;
  readonly namespace: string;
  readonly apiKey?: string;
  readonly tls?: Tls;
  /** Headers of every call, as required by some proxies. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/**
 * Address, namespace and credentials from the environment: `TEMPORAL_ADDRESS`, `TEMPORAL_NAMESPACE`,
 * `TEMPORAL_API_KEY`, `TEMPORAL_TLS` (true/false), `TEMPORAL_TLS_SERVER_NAME`, and `TEMPORAL_TLS_CA`, `_CERT`,
 * `_KEY`, each with `_PATH` (a file) or `_DATA` (the PEM text); `TEMPORAL_GRPC_META_X_Y` is the header `x-y`.
 *
 * @param address of a server started by us; takes precedence over the environment and is used without TLS
 */
export function targetOf(address: string | undefined, env: Env = process.env): TemporalTarget {
  const namespace = namespaceOf(env);
  if (address) return { address, namespace };
  const configured = configuredAddress(env);
  if (!configured) {
    throw new EnvironmentError('TEMPORAL_ADDRESS_MISSING', 'No Temporal server is configured.', [
      'Set TEMPORAL_ADDRESS=host:port, or start one with `noetl-temporal dev`.',
    ]);
  }
  const apiKey = env.TEMPORAL_API_KEY || undefined;
  return { address: configured, namespace, apiKey, tls: tlsOf(env), metadata: metadataOf(env) };
}

function metadataOf(env: Env): Record<string, string> | undefined {
  const PREFIX = 'TEMPORAL_GRPC_META_';
  const headers = Object.entries(env)
    .filter(([name, value]) => name.startsWith(PREFIX) && value)
    .map(([name, value]) => [name.slice(PREFIX.length).toLowerCase().replace(/_/g, '-'), value]);
  return headers.length > 0 ? (Object.fromEntries(headers) as Record<string, string>) : undefined;
}

function tlsOf(env: Env): Tls | undefined {
  const ca = pem(env, 'TEMPORAL_TLS_CA') ?? pem(env, 'TEMPORAL_TLS_SERVER_CA_CERT');
  const crt = pem(env, 'TEMPORAL_TLS_CERT') ?? pem(env, 'TEMPORAL_TLS_CLIENT_CERT');
  const key = pem(env, 'TEMPORAL_TLS_KEY') ?? pem(env, 'TEMPORAL_TLS_CLIENT_KEY');
  const serverName = env.TEMPORAL_TLS_SERVER_NAME || undefined;
  if (Boolean(crt) !== Boolean(key)) {
    throw new EnvironmentError(
      'TEMPORAL_TLS_INVALID',
      'A client certificate needs its key, and a key needs its certificate.',
      ['Set both TEMPORAL_TLS_CERT_PATH and TEMPORAL_TLS_KEY_PATH.'],
    );
  }
  if (ca || serverName || (crt && key)) {
    return {
      ...(serverName ? { serverNameOverride: serverName } : {}),
      ...compact({ serverRootCACertificate: ca, clientCertPair: crt && key && { crt, key } }),
    };
  }
  if (env.TEMPORAL_TLS) return !/^(false|0|no|off)$/i.test(env.TEMPORAL_TLS);
  return env.TEMPORAL_API_KEY ? true : undefined;
}

function pem(env: Env, name: string): Buffer | undefined {
  const data = env[`${name}_DATA`];
  if (data) return Buffer.from(data);
  const file = env[`${name}_PATH`] ?? env[name];
  if (!file) return undefined;
  try {
    return fs.readFileSync(file);
  } catch (error) {
    throw new EnvironmentError(
      'TEMPORAL_TLS_INVALID',
      `${name} names a file that cannot be read: ${messageOf(error)}`,
    );
  }
}

/** Options for `Connection.connect` and, with the same fields, for the worker's `NativeConnection.connect`. */
export function connectionOptions(
  target: TemporalTarget,
): Pick<ConnectionOptions, 'address' | 'tls'> & { apiKey?: string; metadata?: Record<string, string> } {
  return {
    address: target.address,
    ...(target.apiKey ? { apiKey: target.apiKey } : {}),
    ...compact({ tls: target.tls, metadata: target.metadata && { ...target.metadata } }),
  };
}

/**
 * A page of history may have a thousand payloads; gRPC's default limit is 4 MiB, which the SDK
 * intends to raise.
 */
const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;

/**
 * A client connection whose server has responded and has the namespace.
 *
 * @throws EnvironmentError `TEMPORAL_UNREACHABLE`, `TEMPORAL_DENIED` or `NAMESPACE_NOT_FOUND`
 */
export async function connect(
  target: TemporalTarget,
  limitMs = 10_000,
  dataConverter?: DataConverter,
  interceptors?: ClientInterceptors,
): Promise<{ connection: Connection; client: Client }> {
  let connection: Connection | undefined;
  try {
    connection = await Connection.connect({
      ...connectionOptions(target),
      connectTimeout: limitMs,
      channelArgs: { 'grpc.max_receive_message_length': MAX_MESSAGE_BYTES },
    });
    const opened = connection;
    await opened.withDeadline(Date.now() + limitMs, () =>
      opened.workflowService.describeNamespace({ namespace: target.namespace }),
    );
    const client = new Client({
      connection: opened,
      namespace: target.namespace,
      ...(dataConverter && { dataConverter }),
      ...(interceptors && { interceptors }),
    });
    return { connection: opened, client };
  } catch (error) {
    await connection?.close().catch(() => undefined);
    throw connectionError(target, error);
  }
}

/** Numbers of gRPC status codes. */
const NOT_FOUND = 5;
const PERMISSION_DENIED = 7;
const UNAUTHENTICATED = 16;

function connectionError(target: TemporalTarget, error: unknown): EnvironmentError {
  const code = (error as { code?: unknown }).code;
  if (code === NOT_FOUND) {
    return new EnvironmentError(
      'NAMESPACE_NOT_FOUND',
      `The Temporal server at ${target.address} has no namespace "${target.namespace}".`,
      [`Create it (temporal operator namespace create -n ${target.namespace}) or set TEMPORAL_NAMESPACE.`],
      { cause: error },
    );
  }
  if (code === PERMISSION_DENIED || code === UNAUTHENTICATED) {
    return new EnvironmentError(
      'TEMPORAL_DENIED',
      `The Temporal server at ${target.address} rejected the connection: ${messageOf(error)}`,
      ['Check TEMPORAL_API_KEY or the client certificate (TEMPORAL_TLS_CERT_PATH, TEMPORAL_TLS_KEY_PATH).'],
      { cause: error },
    );
  }
  return new EnvironmentError(
    'TEMPORAL_UNREACHABLE',
    `No Temporal server responds at ${target.address}: ${messageOf(error).split('\n')[0]}`,
    [
      'Check TEMPORAL_ADDRESS and that the server is running, or unset it to let noetl-temporal start its own.',
    ],
    { cause: error },
  );
}

const { INDEXED_VALUE_TYPE_KEYWORD, INDEXED_VALUE_TYPE_KEYWORD_LIST } =
  temporal.api.enums.v1.IndexedValueType;
const INDEXED = { Keyword: INDEXED_VALUE_TYPE_KEYWORD, KeywordList: INDEXED_VALUE_TYPE_KEYWORD_LIST };
const ALREADY_EXISTS = 6;

/**
 * Registers our search attributes if missing: executions set them and would fail otherwise. Safe for concurrent
 * processes. Namespaces of Temporal Cloud are managed by its own tools.
 *
 * @throws EnvironmentError `SEARCH_ATTRIBUTES_MISSING` if they are missing and we may not add them
 */
export async function ensureSearchAttributes(
  connection: Pick<Connection, 'operatorService' | 'workflowService'>,
  namespace: string,
): Promise<void> {
  const attributes = await connection.operatorService
    .listSearchAttributes({ namespace })
    .catch(() => undefined);
  const missing = SEARCH_ATTRIBUTE_KEYS.filter(({ name }) => !attributes?.customAttributes?.[name]);
  if (missing.length === 0) return;
  try {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map((key) => [key.name, INDEXED[attributeType(key)]])),
    });
  } catch (error) {
    if ((error as { code?: unknown }).code === ALREADY_EXISTS) return;
    if (!attributes && (await areQueried(connection, namespace))) return;
    const commands = missing.map((key) => createAttribute(namespace, key));
    throw new EnvironmentError(
      'SEARCH_ATTRIBUTES_MISSING',
      `Namespace "${namespace}" lacks the search attributes ${missing.map(({ name }) => name).join(', ')}, and adding them failed: ${messageOf(error)}`,
      ['Ask an administrator to run:', ...commands],
      { cause: error },
    );
  }
}

/** Whether queries may use them: for users without permission to list or add attributes. */
async function areQueried(
  { workflowService }: Pick<Connection, 'workflowService'>,
  namespace: string,
): Promise<boolean> {
  const query = SEARCH_ATTRIBUTE_KEYS.map(({ name }) => `${name} = 'started'`).join(' AND ');
  return await workflowService.countWorkflowExecutions({ namespace, query }).then(
    () => true,
    () => false,
  );
}
