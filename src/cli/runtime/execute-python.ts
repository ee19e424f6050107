/** Runs calls of Python for proofs and rehearsals: in a sandbox without files and network, so that nothing is changed. */
import { chain } from '../../../activities/framework/credentials';
import { runTool } from '../../../activities/framework/activity/activity';
import { InterpreterPools } from '../../../activities/kinds/python/interpreter/pools';
import { pythonTool } from '../../../activities/kinds/python/run';
import { EnvironmentError } from '../../language/errors';
import { isMapping, type TaskCall } from '../../language/plan';
import { type CallExecutor } from '../../offline/proof';
import { UsageError } from '../errors';

const LEVELS = ['strict', 'standard', 'none'] as const;
const STRICT = LEVELS[0];

export interface PythonExecution {
  readonly execute: CallExecutor;
  close(): Promise<void>;
}

/**
 * @param kinds of `--execute`: `python`
 * @param level of `--sandbox`; default strict
 * @throws UsageError for another kind or level; the executor EnvironmentError `SANDBOX_UNAVAILABLE` if this machine has no such sandbox
 */
export function pythonExecution(kinds: string, level: string = STRICT): PythonExecution {
  if (kinds !== 'python') throw new UsageError(`--execute ${kinds}: only python can be executed`);
  if (!LEVELS.some((one) => one === level))
    throw new UsageError(`--sandbox ${level}: expected ${LEVELS.join(', ')}`);
  const tool = pythonTool(new InterpreterPools());
  const context = {
    signal: new AbortController().signal,
    heartbeat: () => undefined,
    credentials: chain([]),
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  };
  return {
    async execute(call) {
      if (call.kind !== 'python' || needsSecrets(call)) return undefined;
      const sandboxed = { ...call, options: { ...call.options, sandbox: level } };
      const outcome = await runTool(tool, sandboxed, context);
      if (outcome.error?.code !== 'SANDBOX_UNAVAILABLE') return outcome;
      throw new EnvironmentError('SANDBOX_UNAVAILABLE', outcome.error.message, [
        'For code that you trust: --sandbox none, which runs it with your own rights.',
      ]);
    },
    close: async () => await tool.close?.(),
  };
}

function ignore(): void {
  // What a proof runs is not logged.
}

/** Which a recording does not contain. */
function needsSecrets({ secrets, config }: TaskCall): boolean {
  return (
    Object.keys(secrets ?? {}).length > 0 ||
    (isMapping(config['auth']) && Object.keys(config['auth']).length > 0)
  );
}
