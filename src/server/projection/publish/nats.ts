/**
 * Messages to a JetStream stream, with the event's id as the message id, so that the stream drops duplicates.
 */
import fs from 'node:fs';
import type * as Transport from '@nats-io/transport-node';
import { CodedError, EnvironmentError, messageOf } from '../../../language/errors';

import { type Publisher } from './publishing-sink';

const DEFAULT_TIMEOUT_MS = 10_000;
/** Of a stream created by us: how long ids are remembered for deduplication. */
const DUPLICATES_HOURS = 24;
const HOUR_NS = 3_600_000_000_000;

export interface NatsOptions {
  /** `nats://[user:password@]host:port`; `tls://…` with TLS. A user without a password is a token. */
  readonly url: string;
  /** Messages go to `<prefix>.<execution id>.<type>`. */
  readonly prefix: string;
  /** Created if no stream has the subjects. */
  readonly stream: string;
  /** File with the credentials of a user (JWT and seed). */
  readonly credentials?: string;
  /** Timeout of requests to the server; 10 s. */
  readonly timeoutMs?: number;
}

/** @throws EnvironmentError `NATS_UNREACHABLE`, `NATS_NO_STREAM`, `PACKAGE_MISSING` */
export async function natsPublisher(options: NatsOptions): Promise<Publisher> {
  const { prefix, stream, timeoutMs: timeout = DEFAULT_TIMEOUT_MS } = options;
  const transport = await load('@nats-io/transport-node', () => import('@nats-io/transport-node'));
  const { jetstream, jetstreamManager } = await load(
    '@nats-io/jetstream',
    () => import('@nats-io/jetstream'),
  );
  const { connection, shown } = await connectTo(transport, options, timeout);
  try {
    const manager = await jetstreamManager(connection, { timeout });
    const subjects = `${prefix}.>`;
    await manager.streams.find(subjects).catch(() =>
      manager.streams.add({
        name: stream,
        subjects: [subjects],
        duplicate_window: DUPLICATES_HOURS * HOUR_NS,
      }),
    );
  } catch (error) {
    await connection.close();
    throw new EnvironmentError(
      'NATS_NO_STREAM',
      `NATS at ${shown} has no stream for ${prefix}.>, and making ${stream} failed: ${messageOf(error)}`,
      ['Start nats-server with JetStream (-js), or let an administrator make the stream.'],
      { cause: error },
    );
  }
  const client = jetstream(connection, { timeout });
  return {
    name: `nats:${shown}/${prefix}`,
    async publish({ id, about, contentType, body }) {
      const head = transport.headers();
      head.set('content-type', contentType);
      const subject = [prefix, ...about].join('.');
      await client.publish(subject, body, { msgID: id, headers: head }).catch((error: unknown) => {
        const isTooLarge = /max_payload|payload/i.test(messageOf(error));
        throw new CodedError(
          isTooLarge ? 'SINK_REFUSED' : 'SINK_UNREACHABLE',
          isTooLarge
            ? `event ${id} is larger than NATS at ${shown} takes: raise max_payload of the server`
            : `NATS at ${shown} did not acknowledge event ${id}: ${messageOf(error)}`,
          { retryable: !isTooLarge, cause: error },
        );
      });
    },
    close: () => connection.close(),
  };
}

async function connectTo(
  { connect, credsAuthenticator }: typeof Transport,
  { url, credentials }: NatsOptions,
  timeout: number,
): Promise<{ connection: Transport.NatsConnection; shown: string }> {
  const { hostname, port, username, password, protocol } = new URL(url);
  const shown = `${hostname}:${port || 4222}`;
  const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)];
  try {
    const connection = await connect({
      servers: shown,
      name: 'noetl-temporal project',
      maxReconnectAttempts: -1,
      timeout,
      ...(protocol === 'tls:' && { tls: {} }),
      ...(credentials && { authenticator: credsAuthenticator(fs.readFileSync(credentials)) }),
      ...(pass ? { user, pass } : user && { token: user }),
    });
    return { connection, shown };
  } catch (error) {
    throw new EnvironmentError(
      'NATS_UNREACHABLE',
      `NATS at ${shown} cannot be used: ${messageOf(error)}`,
      ['Check --nats, the credentials in it or in NOETL_NATS_CREDS, and that the server runs.'],
      { cause: error },
    );
  }
}

async function load<T>(name: string, importClient: () => Promise<T>): Promise<T> {
  try {
    return await importClient();
  } catch (error) {
    throw new EnvironmentError(
      'PACKAGE_MISSING',
      `--nats needs the package ${name}: ${messageOf(error).split('\n')[0]}`,
      [`npm install ${name}`, 'It is an optional dependency: an install with --omit=optional leaves it out.'],
      { cause: error },
    );
  }
}
