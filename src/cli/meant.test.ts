import { CommanderError } from 'commander';
import { meantMessage } from './meant';
import { leavesOf } from './examples';
import { program } from './program';

/** What the program says, as `execute` prints it. */
async function said(...args: string[]): Promise<string> {
  const root = program();
  const below = root.commands.find((one) => one.name() === args[0])?.commands ?? [];
  try {
    await root.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError)
      return meantMessage(
        error,
        args,
        below.map((one) => one.name()),
      );
  }
  return 'it ran';
}

test.each([
  ['lisst', 'list'],
  ['execute', 'run'],
  ['ps', 'list executions'],
  ['show', 'status'],
  ['stop', 'cancel'],
  ['start', 'run'],
  ['credentials set', 'add'],
  ['credentials rm', 'remove'],
  ['schedule remove', 'delete'],
  ['schedule update', 'change'],
  ['list --executions', 'list executions'],
])('%s: did you mean %s', async (typed, meant) => {
  expect(await said(...typed.split(' '))).toMatch(
    new RegExp(`^error: unknown .*\\(Did you mean ${meant}\\?\\)$`),
  );
});

test('nothing is suggested where nothing is near, and what is suggested is a command', async () => {
  expect(await said('xyzzy')).toBe("error: unknown command 'xyzzy'");
  const names = leavesOf(program()).map(([name]) => name);
  for (const typed of ['exec', 'kill', 'log', 'up', 'history', 'deploy', 'secrets', 'workers', 'signal']) {
    const [, meant] = /mean (.*)\?/.exec(await said(typed)) ?? [];
    expect(names.some((name) => name === meant || name.startsWith(`${meant} `))).toBe(true);
  }
});
