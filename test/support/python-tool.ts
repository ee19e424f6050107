/** The kind `python` with interpreters of the test's own. */
import { InterpreterPools } from '../../activities/kinds/python/interpreter/pools';
import { pythonTool } from '../../activities/kinds/python/run';
import { type Tool } from '../../activities/framework/tool/tool';
import { type JsonObject, type Outcome, type TaskCall } from '../../src/language/plan';
import { run } from './tool-call';

export interface PythonTool {
  readonly tool: Tool;
  /** Runs a task of this code; `config` are further fields. */
  code(text: string, input?: JsonObject, config?: JsonObject, more?: Partial<TaskCall>): Promise<Outcome>;
  /** As `code`, and its result; a failure fails the test. */
  result(text: string, input?: JsonObject, more?: Partial<TaskCall>): Promise<unknown>;
}

/** Called once in a test file: ends the interpreters after its tests. */
export function usePython(): PythonTool {
  const tool = pythonTool(new InterpreterPools());
  afterAll(() => tool.close!());
  const code: PythonTool['code'] = (text, input = {}, config = {}, more = {}) =>
    run(tool, { code: text, ...config }, { input, ...more });
  return {
    tool,
    code,
    async result(text, input = {}, more = {}) {
      const outcome = await code(text, input, {}, more);
      expect(outcome.error).toBeNull();
      return outcome.result;
    },
  };
}
