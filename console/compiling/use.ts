/** The compiler in a worker, for a component. */
import { useEffect, useRef } from 'preact/hooks';
import { pageWorker } from '../server/worker';
import { type CompileAsk, type CompilerAnswers, type CompileTold } from './protocol';

declare const COMPILER_URL: string;

type Later<Answers> = {
  readonly [Name in keyof Answers]: Answers[Name] extends (...args: infer Args) => infer Answer
    ? (...args: Args) => Promise<Answer>
    : never;
};
export type Compiler = Later<CompilerAnswers>;

function start(): Compiler & { end(): void } {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let last = 0;
  const hear = (data: CompileTold): void => {
    const request = waiting.get(data.id);
    waiting.delete(data.id);
    if ('problem' in data) request?.reject(new Error(data.problem));
    else request?.resolve(data.value);
  };
  const worker = pageWorker(COMPILER_URL, { hear });
  const asks =
    (method: CompileAsk['method']) =>
    async (...args: readonly unknown[]): Promise<never> =>
      await new Promise((resolve, reject) => {
        const id = ++last;
        waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
        worker.post({ id, method, args } satisfies CompileAsk);
      });
  return {
    compile: asks('compile'),
    check: asks('check'),
    rehearse: asks('rehearse'),
    complete: asks('complete'),
    hover: asks('hover'),
    rename: asks('rename'),
    inputs: asks('inputs'),
    know: asks('know'),
    end: () => worker.end(),
  };
}

/** One worker for the lifetime of the component. */
export function useCompiler(): Compiler {
  const compiler = useRef<ReturnType<typeof start> | undefined>(undefined);
  compiler.current ??= start();
  useEffect(
    () => () => {
      compiler.current?.end();
      compiler.current = undefined;
    },
    [],
  );
  return compiler.current;
}
