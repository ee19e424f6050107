import { messageOf } from '../../language/errors';
import { tracingSettings } from './settings';
import type * as Start from './start';
import { type Tracing } from './tracing';

/**
 * Traces of this process, if enabled by the environment (docs/logs-and-traces.md).
 *
 * @param command names the service unless OTEL_SERVICE_NAME does
 * @param tell called with ignored variables, missing packages, and an unreachable collector
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
    // oxlint-disable-next-line typescript/no-require-imports -- loads what is optional, in tests of the sources too
    const { startTracing } = require('./start') as typeof Start;
    return startTracing(decision.settings, version, tell);
  } catch (error) {
    // An installation with --omit=optional lacks OpenTelemetry's packages.
    tell(`tracing is off: ${messageOf(error).split('\n')[0]}`);
    return undefined;
  }
}
