/** Notifications of `project` and `dev`: their settings, credentials and connections. */
import fs from 'node:fs';
import { type CredentialResolver } from '../../../activities/framework/credentials';
import { agentFor } from '../../../activities/framework/http/agents';
import { checkUrl } from '../../../activities/framework/http/guard';
import { proxyFor } from '../../../activities/framework/http/proxy';
import { messageOf } from '../../language/errors';
import { formatDiagnostics, type NotificationSettings, parseNotificationSettings } from '../../language/dsl';
import { type KeyRing } from '../../storage/keyring';
import { answerLinkPath, linkExpires } from '../../storage/sealed';
import { Notifier, type NotifierOptions } from '../../server/notifications';
import { UsageError } from '../errors';

/**
 * Reads the settings of the installation.
 *
 * @param file default NOETL_NOTIFICATIONS; without one, only playbooks and schedules have targets
 * @throws UsageError with the diagnostics
 */
export function notificationSettings(
  file = process.env.NOETL_NOTIFICATIONS || undefined,
): NotificationSettings {
  if (file === undefined) return {};
  let text: string;
  try {
    text = fs.readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`--notifications ${file}: cannot be read: ${messageOf(error)}`);
  }
  const { settings, diagnostics } = parseNotificationSettings(text, file);
  if (!settings) throw new UsageError(formatDiagnostics(diagnostics, text));
  return settings;
}

export interface NotifierParts extends Omit<NotifierOptions, 'services'> {
  readonly credentials: CredentialResolver;
  /** Seals links under which forms are answered. */
  readonly keys?: KeyRing;
}

const CONNECT_MS = 10_000;
/** In place of an execution: the audit of credentials records none. */
const NO_EXECUTION = { execution_id: 'notifications' };

export function notifierOf({ credentials, keys, ...parts }: NotifierParts): Notifier {
  return new Notifier({
    ...parts,
    services: {
      credential: async (name) => (await credentials.resolve(name, NO_EXECUTION)).data,
      dispatcher: (url) => {
        const proxy = proxyFor(url, undefined);
        // The same addresses as for tasks of kind http (NOETL_HTTP_ALLOW).
        checkUrl(url, proxy === undefined);
        return agentFor({ verifySsl: true, connectTimeoutMs: CONNECT_MS, proxy });
      },
      now: Date.now,
      ...(keys && {
        answerPath: ({ execution_id, asks: { task_run_id, link }, until, to }) => {
          const expires = linkExpires(Date.now(), link, until === undefined ? undefined : Date.parse(until));
          return answerLinkPath(keys, { execution_id, task_run_id, expires, to });
        },
      }),
    },
  });
}
