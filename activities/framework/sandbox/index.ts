/** The sandbox of what authors write (docs/isolation.md). */
import { type JsonObject, type TaskCall } from '../../../src/language/plan';
import { type Isolation, levelOf } from './level';
import { assertEnforced } from './machine';

export { bubblewrap, FILES_INSIDE, HOME_INSIDE, limitCommands, type Mounted, openFilter } from './bubblewrap';
export { type Isolation, type Level, levelOf, weakestLevel } from './level';
export { limitsOf, readableFolders } from './allowance';
export { whyNot } from './machine';
export { type Network, networkOf, networkPolicy } from './network';
export { OUTSIDE, programOf, SHELL } from './programs';
export { callFilter, filtersCalls } from './system-calls';

/**
 * The sandbox that the task must run in; undefined for `none`.
 *
 * @throws ToolError `SANDBOX_REFUSED`, `SANDBOX_SETTING`, `SANDBOX_UNAVAILABLE`: nothing has run then
 */
export async function isolationOf(call: TaskCall): Promise<Isolation | undefined> {
  const level = levelOf(call);
  if (level === 'none') return undefined;
  await assertEnforced(call.kind, level);
  return level;
}

/** What an outcome says about it. */
export function metaOf(level: Isolation | undefined): JsonObject {
  return level === undefined ? {} : { sandbox: level };
}
