import { openTracing, type Tracing } from '../../tracing';
import { packageVersion } from '../output/version';

/** Traces of this process where the environment asks for them; what is wrong with them is told, and no reason to end. */
export function tracingOf(
  command: string,
  tell: (trouble: string) => void = (trouble) => void process.stderr.write(`warning: ${trouble}\n`),
): Tracing | undefined {
  return openTracing(command, packageVersion(), tell);
}
