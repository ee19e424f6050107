import { type Cause } from '../../plan';
import { type Shape, type Type } from './shape';

const TARGET: Shape = {
  title: 'a target of notifications',
  others: 'error',
  fields: {
    playbook: {
      type: 'name',
      doc: 'The `metadata.path` of a playbook to start; its workload receives `notification`.',
    },
    webhook: { type: 'name', doc: 'The URL that receives a signed POST (Standard Webhooks).' },
    secret: { type: 'name', doc: 'The credential with the key of the signature, for `webhook`.' },
    email: { type: { either: ['name', { list: 'name' }] }, doc: 'One or more e-mail addresses.' },
    smtp: {
      type: 'name',
      doc: 'The credential with mail server and sender, for `email`; default: `smtp`.',
    },
    chat: {
      type: 'name',
      doc: 'The credential with the URL of a chat webhook (Slack, Teams, Mattermost).',
    },
  },
};

const TARGETS: Type = { list: { shape: () => TARGET } };
const about = (doc: string): { type: Type; doc: string; example: string } => ({
  type: TARGETS,
  doc,
  example: '[{chat: CREDENTIAL}]',
});

const BY_CAUSE: Record<Cause, { type: Type; doc: string; example: string }> = {
  completed: about('Whom to tell when an execution has completed.'),
  failed: about('Whom to tell when an execution has failed.'),
  cancelled: about('Whom to tell when an execution was cancelled.'),
  late: about('Whom to tell when an execution has passed its deadline, while it is still open.'),
  waiting: about('Whom to tell when an execution begins to wait for an event.'),
};

/** `metadata.on`, and the same of schedules and installations. */
export const ON: Shape = { title: '`on`', others: 'error', fields: BY_CAUSE };

/** The file of an installation. */
export const INSTALLATION: Shape = {
  title: 'a file of notifications',
  others: 'error',
  fields: {
    on: { type: { shape: () => ON }, doc: 'Whom to tell about executions that no other execution called.' },
    url: { type: 'name', doc: 'The address of the facade, for links in messages.' },
    temporal_ui: { type: 'name', doc: 'The address of the Temporal UI, for links in messages.' },
  },
};
