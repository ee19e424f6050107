/** Tests of sandboxes, by level. */
import { type Level, whyNot } from '../../activities/framework/sandbox';
import { type Absent, present } from './present';

export const LEVELS: readonly Level[] = ['none', 'standard', 'strict'];

/** Ends the test, or all tests behind a hook, as skipped where this machine cannot enforce the level. */
export async function enforced(level: Level): Promise<void> {
  const why = level === 'none' ? undefined : await whyNot(level);
  present<object | Absent>(why === undefined ? {} : { skipped: `no sandbox: ${why}`, extra: true });
}
