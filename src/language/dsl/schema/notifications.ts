import { type NotificationCause } from '../../plan';
import { type SchemaField, shape, type SchemaShape, unlisted } from './shape';
import { CAUSE_WORDS } from './words';
import * as field from './fields';

const playbook = field.name(
  'The `metadata.path` of a playbook to start; its workload receives `notification`.',
);
const LISTED_BY = 'name a target that the operator lists under `targets` (docs/notifications.md)';

const AUTHOR_TARGET: SchemaShape = shape('a target of notifications', 'error', {
  playbook,
  webhook: field.name(
    'A webhook that the installation lists, by name, or the URL of one that is told without a signature.',
  ),
  secret: field.rejected(
    'Belongs to targets that the installation lists.',
    'NT2098',
    '`secret` would sign what this playbook says with a secret of the installation, for any receiver',
    `${LISTED_BY}: \`webhook: NAME\`; or remove \`secret\`, and the request is not signed`,
  ),
  email: field.name('E-mail addresses that the installation lists, by name.'),
  smtp: field.rejected(
    'Belongs to targets that the installation lists.',
    'NT2098',
    '`smtp` would send e-mail to anybody in the name of the installation',
    `${LISTED_BY}: \`email: NAME\``,
  ),
  chat: field.name('A chat that the installation lists, by name.'),
});

const LISTED = {
  webhook: field.name('The URL that receives a signed POST (Standard Webhooks).'),
  secret: field.name('The credential with the key of the signature, for `webhook`.'),
  email: field.either(['name', { list: 'name' }], 'One or more e-mail addresses.'),
  smtp: field.name('The credential with mail server and sender, for `email`; default: `smtp`.'),
  chat: field.name('The credential with the URL of a chat webhook (Slack, Teams, Mattermost).'),
};

/** A target under `targets` in the file of an installation. */
export const LISTED_TARGET: SchemaShape = shape('a target of an installation', 'error', LISTED);

const INSTALLATION_TARGET: SchemaShape = shape('a target of an installation', 'error', {
  playbook,
  ...LISTED,
});

function byCause(target: SchemaShape): Record<NotificationCause, SchemaField> {
  const about = (doc: string): SchemaField =>
    field.listField({ shape: () => target }, doc, { example: '[{chat: NAME}]' });
  return {
    completed: about('Whom to tell when an execution has completed.'),
    failed: about('Whom to tell when an execution has failed.'),
    cancelled: about('Whom to tell when an execution was cancelled.'),
    late: about('Whom to tell when an execution has passed its deadline, while it is still open.'),
    waiting: about('Whom to tell when an execution begins to wait for an event.'),
  };
}

/** `metadata.on`, and the same of schedules. */
export const ON: SchemaShape = shape('`on`', unlisted('error', CAUSE_WORDS), byCause(AUTHOR_TARGET));

const INSTALLATION_ON: SchemaShape = shape(
  '`on`',
  unlisted('error', CAUSE_WORDS),
  byCause(INSTALLATION_TARGET),
);

/** The file of an installation. */
export const INSTALLATION: SchemaShape = shape('a file of notifications', 'error', {
  targets: field.anyMappingField('Targets by name, for `on` of playbooks and schedules.'),
  on: field.nestedField(
    () => INSTALLATION_ON,
    'Whom to tell about executions that no other execution called.',
  ),
  url: field.name('The address of the facade, for links in messages.'),
  temporal_ui: field.name('The address of the Temporal UI, for links in messages.'),
});
