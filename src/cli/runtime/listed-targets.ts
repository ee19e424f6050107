/** `notifications targets`: what authors may name. */
import { type ListedName, targetNames } from '../../language/plan';
import { notificationSettings } from './notifications';
import { askServer, facadeAddressOf } from './remote/facade-client';

export async function listedTargets(from: {
  readonly notifications?: string;
  readonly server?: string;
}): Promise<readonly ListedName[]> {
  if (from.server === undefined) return targetNames(notificationSettings(from.notifications).targets);
  const path = '/api/notifications/targets';
  return (await askServer<{ targets: ListedName[] }>(facadeAddressOf(from.server), path)).targets;
}
