/** The compiler in a worker, for a component. */
import { useEffect, useRef } from 'preact/hooks';
import { pageWorker } from '../server/worker';
import {
  type CompileAsk,
  type CompiledDraft,
  type CompileTold,
  type RehearsedDraft,
  type CompletionWords,
} from './protocol';

declare const COMPILER_URL: string;

export interface Compiler {
  compile(text: string): Promise<CompiledDraft>;
  rehearse(text: string, rehearsals: string): Promise<RehearsedDraft>;
  words(): Promise<CompletionWords>;
}

type Unnumbered<T> = T extends { id: number } ? Omit<T, 'id'> : never;

function start(): Compiler & { end(): void } {
  const waiting = new Map<
    number,
    { resolve: (reply: CompileTold) => void; reject: (error: Error) => void }
  >();
  let last = 0;
  const hear = (data: CompileTold): void => {
    const request = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.type === 'failed') request?.reject(new Error(data.message));
    else request?.resolve(data);
  };
  const worker = pageWorker(COMPILER_URL, { hear });
  const ask = async <T>(request: Unnumbered<CompileAsk>): Promise<T> =>
    await new Promise<T>((resolve, reject) => {
      const id = ++last;
      waiting.set(id, { resolve: (reply) => resolve(reply as T), reject });
      worker.post({ ...request, id });
    });
  return {
    compile: (text) => ask({ type: 'compile', text }),
    rehearse: (text, rehearsals) => ask({ type: 'rehearse', text, rehearsals }),
    words: () => ask({ type: 'words' }),
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
