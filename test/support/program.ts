import { program } from '../../src/cli/program';

export interface Printed {
  /** What it wrote to stdout. */
  readonly text: string;
  readonly code: number;
}

/** Runs a command of the command line in this process, in the current folder; stderr is dropped. */
export async function inProcess(args: readonly string[]): Promise<Printed> {
  let text = '';
  const take = (chunk: unknown, done?: unknown): boolean => {
    text += String(chunk);
    if (typeof done === 'function') (done as () => void)();
    return true;
  };
  const spies = [
    jest.spyOn(process.stdout, 'write').mockImplementation(take),
    jest.spyOn(process.stderr, 'write').mockImplementation(() => true),
  ];
  const code = process.exitCode;
  process.exitCode = 0;
  try {
    await program().parseAsync([...args], { from: 'user' });
    return { text, code: Number(process.exitCode) };
  } finally {
    process.exitCode = code;
    spies.forEach((spy) => spy.mockRestore());
  }
}
