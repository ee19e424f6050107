/** The compiler in a worker, for a component. */
import { useEffect, useRef } from 'preact/hooks';
import { type AskedWorker, askedWorker } from './asked';
import { type CompilerAnswers } from './protocol';

declare const COMPILER_URL: string;

export type Compiler = AskedWorker<CompilerAnswers>;

const LIMIT_MS = 20_000;

const start = (): Compiler =>
  askedWorker<CompilerAnswers>(COMPILER_URL, {
    methods: ['compile', 'check', 'rehearse', 'complete', 'hover', 'rename', 'inputs', 'know'],
    limitMs: LIMIT_MS,
    kept: 'know',
  });

/** One worker for the lifetime of the component. */
export function useCompiler(): Compiler {
  const compiler = useRef<Compiler | undefined>(undefined);
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
