/** Task calls and contexts for tests of tools. */
import { chain, type Credential } from '../../activities/framework/credentials';
import { runTool } from '../../activities/framework/activity/activity';
import { type Log, type Tool, type ToolContext } from '../../activities/framework/tool/tool';
import { type Json, type JsonObject, type Outcome, type TaskCall } from '../../src/language/plan';

/** A call with sensible ids; `config` are the tool's fields. */
export function call(kind: string, config: JsonObject, more: Partial<TaskCall> = {}): TaskCall {
  return {
    execution_id: '287146398761160704',
    task_run_id: `step#1.${kind}~1@1`,
    step: 'step',
    task: kind,
    attempt: 1,
    kind,
    idempotency_key: `287146398761160704/step#1.${kind}~1`,
    input: {},
    config,
    timeout: {},
    options: {},
    ...more,
  };
}

export interface TestContext extends ToolContext {
  readonly controller: AbortController;
  readonly beats: Json[];
  readonly lines: string[];
}

export function context(credentials: Record<string, Omit<Credential, 'name'>> = {}): TestContext {
  const controller = new AbortController();
  const beats: Json[] = [];
  const lines: string[] = [];
  const line = (fields: object, message: string): void =>
    void lines.push(`${JSON.stringify(fields)} ${message}`);
  const log: Log = { debug: line, info: line, warn: line, error: line };
  return {
    controller,
    signal: controller.signal,
    beats,
    lines,
    heartbeat: (details) => void beats.push(details),
    credentials: chain([
      {
        find: async (name) => (credentials[name] ? { name, ...credentials[name] } : undefined),
        hint: () => 'the test',
      },
    ]),
    log,
  };
}

/** Runs the tool as the adapter does, so that whatever it throws is an outcome. */
export function run(
  tool: Tool,
  config: JsonObject,
  more: Partial<TaskCall> = {},
  ctx: ToolContext = context(),
): Promise<Outcome> {
  return runTool(tool, call(tool.kind, config, more), ctx);
}
