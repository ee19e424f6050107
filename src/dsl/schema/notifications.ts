import { type Cause } from '../../plan';
import { type Field, shape, type Shape } from './shape';
import * as field from './fields';

const TARGET: Shape = shape('a target of notifications', 'error', {
  playbook: field.name('The `metadata.path` of a playbook to start; its workload receives `notification`.'),
  webhook: field.name('The URL that receives a signed POST (Standard Webhooks).'),
  secret: field.name('The credential with the key of the signature, for `webhook`.'),
  email: field.either(['name', { list: 'name' }], 'One or more e-mail addresses.'),
  smtp: field.name('The credential with mail server and sender, for `email`; default: `smtp`.'),
  chat: field.name('The credential with the URL of a chat webhook (Slack, Teams, Mattermost).'),
});

const about = (doc: string): Field =>
  field.listOf({ shape: () => TARGET }, doc, { example: '[{chat: CREDENTIAL}]' });

const BY_CAUSE: Record<Cause, Field> = {
  completed: about('Whom to tell when an execution has completed.'),
  failed: about('Whom to tell when an execution has failed.'),
  cancelled: about('Whom to tell when an execution was cancelled.'),
  late: about('Whom to tell when an execution has passed its deadline, while it is still open.'),
  waiting: about('Whom to tell when an execution begins to wait for an event.'),
};

/** `metadata.on`, and the same of schedules and installations. */
export const ON: Shape = shape('`on`', 'error', BY_CAUSE);

/** The file of an installation. */
export const INSTALLATION: Shape = shape('a file of notifications', 'error', {
  on: field.nested(() => ON, 'Whom to tell about executions that no other execution called.'),
  url: field.name('The address of the facade, for links in messages.'),
  temporal_ui: field.name('The address of the Temporal UI, for links in messages.'),
});
