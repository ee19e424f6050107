import { messageOf } from '../errors';
import { tracingSettings } from './settings';
import type * as Start from './start';
import { type Tracing } from './tracing';

/**
 * Traces of this process, where the environment asks for them (docs/operations.md).
 *
 * @param command names the service unless OTEL_SERVICE_NAME does
 * @param tell told of variables that are passed over, of missing packages, and of a collector that does not answer
 */
export function openTracing(
  command: string,
  version: string,
  tell: (trouble: string) => void,
): Tracing | undefined {
  const decision = tracingSettings(command, process.env);
  decision.warnings.forEach(tell);
  if (!decision.on) return undefined;
  try {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- loads what is optional, in tests of the sources too
    const { startTracing } = require('./start') as typeof Start;
    return startTracing(decision.settings, version, tell);
  } catch (error) {
    // An install with --omit=optional leaves OpenTelemetry's packages out.
    tell(`tracing is off: ${messageOf(error).split('\n')[0]}`);
    return undefined;
  }
}
