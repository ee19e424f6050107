/** Jobs in this process, for one that nobody else waits for: a command. */
import { type Answers, type JobOptions, type JobTable } from './pool';
import { type Host } from './serve-jobs';

export class JobsHere<Table extends JobTable> {
  readonly isBusy = false;

  /** @param load the jobs, when the first is to be done */
  constructor(private readonly load: () => Table | Promise<Table>) {}

  /** As that of a pool of threads, without limits. @throws errors of the job and of its `answers` */
  async run<Name extends keyof Table & string>(
    name: Name,
    input: Parameters<Table[Name]>[0],
    _caller: string,
    { answers = {} }: JobOptions = {},
  ): Promise<Awaited<ReturnType<Table[Name]>>> {
    const job = (await this.load())[name] as (input: unknown, host: Host) => unknown;
    return (await job(input, hostOf(answers))) as Awaited<ReturnType<Table[Name]>>;
  }

  close(): void {
    // There is no thread.
  }
}

function hostOf(answers: Answers): Host {
  const ask = async (name: string, about?: unknown): Promise<unknown> =>
    await answers[name]?.(about as never);
  return { ask, tell: (name, about) => void answers[name]?.(about as never) };
}
