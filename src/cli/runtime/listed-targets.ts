/** `notifications targets`: what authors may name. */
import { type ListedName, namesOf } from '../../language/plan';
import { notificationSettings } from './notifications';
import { askServer, serverOf } from './remote/facade-client';

export async function listedTargets(from: {
  readonly notifications?: string;
  readonly server?: string;
}): Promise<readonly ListedName[]> {
  if (from.server === undefined) return namesOf(notificationSettings(from.notifications).targets);
  const path = '/api/notifications/targets';
  return (await askServer<{ targets: ListedName[] }>(serverOf(from.server), path)).targets;
}
