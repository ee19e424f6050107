import { type InstallationTargets, type Notifications, notificationTargets } from './notifications';

const installation: InstallationTargets = {
  targets: {
    ops: { webhook: 'https://ops.example.com', secret: 'ops_hook' },
    oncall: { email: ['a@example.com'], smtp: 'mail' },
    team: { chat: 'team_chat' },
  },
  on: { failed: [{ chat: 'team_chat' }] },
};
const told = (...failed: object[]) =>
  notificationTargets('failed', [{ failed } as Notifications], { targets: installation.targets });

test('names become what the operator lists', () => {
  expect(told({ webhook: 'ops' }, { email: 'oncall' }, { chat: 'team' })).toEqual(
    Object.values(installation.targets!),
  );
});

test('a plan that nobody compiled gets no secret of the installation for a receiver of its own', () => {
  expect(told({ webhook: 'https://mine.example', secret: 'ops_hook' })).toEqual([
    { webhook: 'https://mine.example' },
  ]);
  expect(told({ email: ['me@example.com'], smtp: 'mail' })).toEqual([
    { unlisted: 'email', name: 'me@example.com' },
  ]);
  // The name of a credential is no name of a target, nor is one of another kind, nor one of Object.
  expect(told({ chat: 'team_chat' }, { chat: 'ops' }, { webhook: 'toString' })).toEqual([
    { unlisted: 'chat', name: 'team_chat' },
    { unlisted: 'chat', name: 'ops' },
    { unlisted: 'webhook', name: 'toString' },
  ]);
});

test('whom several name is told once', () => {
  const authors: Notifications[] = [{ failed: [{ chat: 'team' }] }, { failed: [{ chat: 'team' }] }];
  expect(notificationTargets('failed', authors, installation)).toEqual([{ chat: 'team_chat' }]);
});
