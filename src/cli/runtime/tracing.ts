import { openTracing, type Tracing } from '../../telemetry/tracing';
import { packageVersion } from '../output/version';

/** Traces of this process if enabled by the environment; problems are reported and do not stop the process. */
export function tracingOf(
  command: string,
  tell: (trouble: string) => void = (trouble) => void process.stderr.write(`warning: ${trouble}\n`),
): Tracing | undefined {
  return openTracing(command, packageVersion(), tell);
}
