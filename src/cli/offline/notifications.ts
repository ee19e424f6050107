/** Targets of notifications, as options of commands. */
import fs from 'node:fs';
import { messageOf } from '../../language/errors';
import { formatDiagnostics, parseNotifications } from '../../language/dsl';
import { type Notifications } from '../../language/plan';
import { UsageError } from '../errors';

/**
 * Reads targets by cause.
 *
 * @param given YAML or JSON, or `@FILE` with it
 * @throws UsageError with the diagnostics
 */
export function notificationsIn(given: string): Notifications | undefined {
  const file = given.startsWith('@') ? given.slice(1) : undefined;
  const text = file === undefined ? given : read(file);
  const { on, diagnostics } = parseNotifications(text, file ?? '--on');
  if (diagnostics.some(({ severity }) => severity === 'error'))
    throw new UsageError(formatDiagnostics(diagnostics, text));
  return on;
}

function read(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`--on @${file}: cannot be read: ${messageOf(error)}`);
  }
}
