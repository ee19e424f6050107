import { execute } from '../../src/cli/execute';

export interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command of the command line in this process, in the current folder: what a process of its own would print
 * and end with, without the second or two that one takes to load. Calls take turns. Signals, and what is left behind
 * when a command ends, need `noetl` and `start` (process.ts).
 *
 * @param env variables for the time of the command
 */
export function inProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Printed> {
  const turn = last.then(() => perform(args, env));
  last = turn.catch(() => undefined);
  return turn;
}

let last: Promise<unknown> = Promise.resolve();

async function perform(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Printed> {
  const printed = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    jest.spyOn(process[stream], 'write').mockImplementation((chunk, ...rest) => {
      printed[stream] += String(chunk);
      const done = rest.at(-1) as unknown;
      if (typeof done === 'function') (done as () => void)();
      return true;
    }),
  );
  const before = { ...process.env };
  const { exitCode } = process;
  Object.assign(process.env, { NO_COLOR: '1' }, env);
  process.exitCode = 0;
  try {
    return { code: await execute(args), ...printed };
  } finally {
    process.exitCode = exitCode;
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
    spies.forEach((spy) => spy.mockRestore());
  }
}
