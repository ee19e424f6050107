/** Whom to tell what: `metadata.on` of a playbook, the same of a schedule and of a whole installation. */

/** What can be told about an execution; `late` also about a schedule that has not started what was due. */
export const CAUSES = ['completed', 'failed', 'cancelled', 'late', 'waiting'] as const;
export type Cause = (typeof CAUSES)[number];

/** Secrets are credentials, referred to by name: a target holds none. */
export type NotificationTarget =
  /** `metadata.path` of the playbook that is started. */
  | { readonly playbook: string }
  /** URL, and the credential with the key of its signature. */
  | { readonly webhook: string; readonly secret: string }
  /** Addresses, and the credential with server and sender. */
  | { readonly email: readonly string[]; readonly smtp: string }
  /** The credential with the URL: whoever knows the URL of a chat webhook can post. */
  | { readonly chat: string };

export type Notifications = { readonly [C in Cause]?: readonly NotificationTarget[] };

/** The credential of e-mail targets that name none. */
export const DEFAULT_SMTP = 'smtp';

/** The targets of one cause, of several sources, each once. */
export function targetsOf(
  cause: Cause,
  sources: readonly (Notifications | undefined)[],
): readonly NotificationTarget[] {
  const targets = new Map<string, NotificationTarget>();
  for (const source of sources)
    for (const target of source?.[cause] ?? []) targets.set(JSON.stringify(target), target);
  return [...targets.values()];
}
