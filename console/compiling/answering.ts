/** The worker's side of questions: answers each with what the method of that name returns. */
import { type CompileAsk, type CompileTold, LOADED } from './protocol';

export function answerAsks(answers: object): void {
  const tell = (message: CompileTold): void => postMessage(message);
  addEventListener('message', ({ data: { id, method, args } }: MessageEvent<CompileAsk>) => {
    try {
      const answer = (answers as Readonly<Record<string, (...given: readonly unknown[]) => unknown>>)[method];
      tell({ id, value: answer?.(...args) });
    } catch (error) {
      tell({ id, problem: (error as Error).message });
    }
  });
  tell({ id: LOADED, value: undefined });
}
