/** Whom to tell what: `metadata.on` of a playbook, the same of a schedule and of a whole installation. */

/** What can be told about an execution; `late` also about a schedule that has not started what was due. */
export const CAUSES = ['completed', 'failed', 'cancelled', 'late', 'waiting'] as const;
export type NotificationCause = (typeof CAUSES)[number];

/** What an installation lists, for authors to name. Secrets are credentials, referred to by name: a target holds none. */
export type ListedTarget =
  /** URL, and the credential with the key of its signature. */
  | { readonly webhook: string; readonly secret: string }
  /** Addresses, and the credential with server and sender. */
  | { readonly email: readonly string[]; readonly smtp: string }
  /** The credential with the URL: whoever knows the URL of a chat webhook can post. */
  | { readonly chat: string };

/** What authors may write: a playbook, a URL that is told without a signature, or the name of a listed target. */
export type AuthorTarget =
  /** `metadata.path` of the playbook that is started. */
  | { readonly playbook: string }
  /** URL, or name. */
  | { readonly webhook: string }
  /** Name. */
  | { readonly email: string }
  /** Name. */
  | { readonly chat: string };

/** Whom to tell, once names are looked up. */
export type NotificationTarget =
  | { readonly playbook: string }
  /** Unsigned. */
  | { readonly webhook: string; readonly secret?: undefined }
  | ListedTarget
  /** A name that the installation does not list. */
  | { readonly unlisted: ListedKind; readonly name: string };

export type ListedKind = 'webhook' | 'email' | 'chat';

type ByCause<Target> = { readonly [C in NotificationCause]?: readonly Target[] };
export type Notifications = ByCause<AuthorTarget>;

/** What the operator decides. */
export interface InstallationTargets {
  /** About executions that no other execution called. */
  readonly on?: ByCause<ListedTarget | { readonly playbook: string }>;
  /** What authors may name. */
  readonly targets?: Readonly<Record<string, ListedTarget>>;
}

/** The credential of e-mail targets that name none. */
export const DEFAULT_SMTP = 'smtp';

/**
 * The targets of one cause, each once.
 *
 * @param authors of a playbook and a schedule: whatever they contain, they get no secret of the installation but by the
 * name of a listed target
 */
export function notificationTargets(
  cause: NotificationCause,
  authors: readonly (Notifications | undefined)[],
  { on, targets: listed }: InstallationTargets,
): readonly NotificationTarget[] {
  const targets = new Map<string, NotificationTarget>();
  const add = (target: NotificationTarget): void => void targets.set(JSON.stringify(target), target);
  for (const author of authors) for (const target of author?.[cause] ?? []) add(ofAuthor(target, listed));
  for (const target of on?.[cause] ?? []) add(target);
  return [...targets.values()];
}

/** A target whose name may be listed by now. */
export function listedTarget(
  target: NotificationTarget,
  listed: InstallationTargets['targets'],
): NotificationTarget {
  if (!('unlisted' in target)) return target;
  const { unlisted: kind, name } = target;
  const own = listed && Object.hasOwn(listed, name) ? listed[name] : undefined;
  return own && kind in own ? own : target;
}

function ofAuthor(target: AuthorTarget, listed: InstallationTargets['targets']): NotificationTarget {
  if ('playbook' in target) return { playbook: target.playbook };
  if ('webhook' in target) {
    const { webhook } = target;
    return isUrl(webhook) ? { webhook } : listedTarget({ unlisted: 'webhook', name: webhook }, listed);
  }
  const [kind, name] =
    'email' in target ? (['email', target.email] as const) : (['chat', target.chat] as const);
  return listedTarget({ unlisted: kind, name: String(name) }, listed);
}

/** What authors read of a listed target: neither addresses nor credentials. */
export interface ListedName {
  readonly kind: ListedKind;
  readonly name: string;
}

export function targetNames(listed: InstallationTargets['targets'] = {}): ListedName[] {
  return Object.entries(listed).map(([name, target]) => ({ name, kind: kindOf(target) }));
}

function kindOf(target: ListedTarget): ListedKind {
  if ('webhook' in target) return 'webhook';
  return 'chat' in target ? 'chat' : 'email';
}

/** Whether the text is an address, or means to be one; anything else is a name. */
export function isUrl(text: string): boolean {
  return text.includes('/') || text.includes(':');
}
