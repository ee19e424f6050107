/** The page's side of questions to a worker: it is started by the first, and replaced when it does not come to an answer. */
import { pageWorker, type PageWorker } from '../server/worker';
import { type CompileAsk, type CompileTold, LOADED } from './protocol';

type Later<Answers> = {
  readonly [Name in keyof Answers]: Answers[Name] extends (...args: infer Args) => infer Answer
    ? (...args: Args) => Promise<Answer>
    : never;
};

export type AskedWorker<Answers> = Later<Answers> & {
  /** Ends the worker; the next question starts another. @param why for those who wait; without it nobody does any more: the page was left */
  end(why?: string): void;
};

interface Asking<Answers> {
  readonly methods: readonly (keyof Answers & string)[];
  /** While it answers nothing for so long, it is stuck: whatever is written must not keep a processor busy for ever. */
  readonly limitMs: number;
  /** A method whose last question is asked again of the next worker. */
  readonly kept?: keyof Answers & string;
}

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

export function askedWorker<Answers>(
  url: string,
  { methods, limitMs, kept }: Asking<Answers>,
): AskedWorker<Answers> {
  const waiting = new Map<number, Waiting>();
  let worker: PageWorker | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = LOADED;
  let again: CompileAsk | undefined;
  const end = (why?: string): void => {
    clearTimeout(timer);
    worker?.end();
    worker = undefined;
    if (why !== undefined) for (const { reject } of waiting.values()) reject(new Error(why));
    waiting.clear();
  };
  const watch = (): void => {
    clearTimeout(timer);
    const seconds = String(limitMs / 1000);
    if (waiting.size > 0)
      timer = setTimeout(() => end(`This took longer than ${seconds} s and was stopped.`), limitMs);
  };
  const hear = (data: CompileTold): void => {
    const request = waiting.get(data.id);
    waiting.delete(data.id);
    if ('problem' in data) request?.reject(new Error(data.problem));
    else request?.resolve(data.value as never);
    watch();
  };
  const open = (): PageWorker => {
    const opened = pageWorker(url, { hear });
    if (again) opened.post(again);
    return opened;
  };
  const asks =
    (method: keyof Answers & string) =>
    async (...args: readonly unknown[]): Promise<never> =>
      await new Promise((resolve, reject) => {
        const isIdle = worker !== undefined && waiting.size === 0;
        const id = ++last;
        const ask: CompileAsk = { id, method, args };
        worker ??= open();
        waiting.set(id, { resolve, reject });
        worker.post(ask);
        if (method === kept) again = ask;
        if (isIdle) watch();
      });
  const all = methods.map((method) => [method, asks(method)] as const);
  return { ...Object.fromEntries(all), end } as unknown as AskedWorker<Answers>;
}
