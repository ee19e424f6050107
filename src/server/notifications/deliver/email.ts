/** E-mail over SMTP. */
import { hasCode } from '../../../language/errors';
import { type JsonObject } from '../../../language/plan';
import { details, headline } from '../message';
import {
  type Channel,
  type ChannelServices,
  channelField,
  type NotificationErrorCode,
  refusal,
} from './channel';

const TIMEOUT_MS = 15_000;
const HINT = 'store {"host": "mail.example.com", "from": "noetl@example.com", "user": …, "password": …}';
const IMPLICIT_TLS_PORT = 465;
const SUBMISSION_PORT = 587;

/** `tls`: from the first byte on; `starttls`: required before anything is said; `none`: for a server on this machine. */
const MODES = ['tls', 'starttls', 'none'] as const;
type Mode = (typeof MODES)[number];

export function emailChannel(services: ChannelServices): Channel {
  return async ({ id, target, message }) => {
    if (!('email' in target)) return;
    const name = target.smtp;
    const data = await services.credential(name);
    const from = channelField(data, { name, field: 'from', hint: HINT });
    const { createTransport } = await import('nodemailer');
    const transport = createTransport(transportOf(name, data));
    try {
      const { rejected } = await transport.sendMail({
        from,
        to: [...target.email],
        subject: headline(message),
        text: `${details(message).join('\n')}\n`,
        // The same at every attempt: mail programs show one of two.
        messageId: `<${id}@${(from.split('@').at(-1) ?? '').replace(/[^\w.-]/g, '')}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
      // The others have it: another attempt would send it to them again.
      if (rejected.length > 0)
        throw refusal('NOTIFICATION_REFUSED', `some recipients were rejected by ${name}`, {
          retryable: false,
        });
    } catch (error) {
      throw failure(name, error);
    } finally {
      transport.close();
    }
  };
}

function transportOf(name: string, data: JsonObject): object {
  const host = channelField(data, { name, field: 'host', hint: HINT });
  const user = data['user'] ?? data['username'];
  const mode = modeOf(name, data);
  const port = Number(data['port'] ?? (mode === 'tls' ? IMPLICIT_TLS_PORT : SUBMISSION_PORT));
  if (mode === 'none' && user !== undefined && !['localhost', '127.0.0.1', '::1'].includes(host))
    throw refusal('NOTIFICATION_CREDENTIAL', `the credential ${name} would send its password unencrypted`);
  return {
    host,
    port,
    secure: mode === 'tls',
    requireTLS: mode === 'starttls',
    ignoreTLS: mode === 'none',
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(typeof user === 'string' && { auth: { user, pass: String(data['password'] ?? '') } }),
  };
}

function modeOf(name: string, { secure, port }: JsonObject): Mode {
  if (secure === undefined || secure === null) return Number(port) === IMPLICIT_TLS_PORT ? 'tls' : 'starttls';
  const mode = MODES.find((one) => one === secure);
  if (mode) return mode;
  throw refusal('NOTIFICATION_CREDENTIAL', `secure of the credential ${name} is one of ${MODES.join(', ')}`);
}

/** The server's own words may quote what was sent, the user's name among it: only code and stage are shown. */
function failure(name: string, error: unknown): Error {
  if (hasCode<NotificationErrorCode>(error, 'NOTIFICATION_CREDENTIAL', 'NOTIFICATION_REFUSED')) return error;
  const { code, responseCode, command }: Record<string, unknown> = { ...Object(error) };
  const reason = [code, responseCode, command].filter(Boolean).join(' ');
  const refused = Number(responseCode) >= 500;
  return refusal(
    refused ? 'NOTIFICATION_REFUSED' : 'NOTIFICATION_UNREACHABLE',
    `the mail server of credential ${name} ${refused ? 'refused the message' : 'cannot be used'}: ${reason}`,
    { cause: error },
  );
}
