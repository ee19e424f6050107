import fs from 'node:fs';
import os from 'node:os';
import { enforced, LEVELS } from '../../../test/support/sandboxed';
import { run } from '../../../test/support/tool-call';
import { shell } from '../../kinds/shell/run';

const BEHIND = os.constants.priority.PRIORITY_BELOW_NORMAL;
const GROUPS = '/proc/sys/kernel/sched_autogroup_enabled';

const said = async (cmd: string, sandbox: string): Promise<string> => {
  const { result } = await run(shell, { cmd }, { options: { sandbox } });
  return (result as { stdout: string }).stdout.trim();
};

test.each(LEVELS)('%s: a command, and what it starts, leaves the processors to the worker', async (level) => {
  await enforced(level);
  const numbers = (await said('nice; (nice)', level)).split('\n').map(Number);
  expect(numbers).toHaveLength(2);
  expect(Math.min(...numbers)).toBeGreaterThanOrEqual(BEHIND);
});

test('so does its session, where the kernel gives each the same share', async () => {
  const isGrouped = fs.existsSync(GROUPS) && fs.readFileSync(GROUPS, 'utf8').trim() === '1';
  // Others than root may say so ten times a second at most.
  if (!isGrouped || process.getuid?.() !== 0) return;
  expect(await said('cat /proc/self/autogroup', 'none')).toMatch(new RegExp(` nice ${BEHIND}$`));
});
