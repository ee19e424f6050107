/** The Temporal server named by the environment, with the same variables as Temporal's own tools. */
import { EnvironmentError } from '../../language/errors';
import { isListening } from '../server/ports';

type Env = Record<string, string | undefined>;

export const DEFAULT_NAMESPACE = 'default';

/** `TEMPORAL_NAMESPACE`, else `default`. */
export function namespaceOf(env: Env = process.env): string {
  return env.TEMPORAL_NAMESPACE || DEFAULT_NAMESPACE;
}

/** `TEMPORAL_ADDRESS` as host:port (default port 7233); undefined if it is not set. */
export function configuredAddress(env: Env = process.env): string | undefined {
  const value = env.TEMPORAL_ADDRESS?.trim();
  if (!value) return undefined;
  const match = /^(\[[0-9a-fA-F:]+\]|[^\s:/]+)(?::(\d{1,5}))?$/.exec(value);
  const port = match?.[2] ? Number(match[2]) : 7233;
  if (!match || port < 1 || port > 65_535) {
    throw new EnvironmentError(
      'TEMPORAL_ADDRESS_INVALID',
      `TEMPORAL_ADDRESS must be host:port, not "${value}".`,
    );
  }
  return `${match[1]}:${port}`;
}

/** As `configuredUi`, but a guess only if something answers there: a wrong address is worse than none. */
export async function knownUi(address: string, env: Env = process.env): Promise<string | undefined> {
  const ui = configuredUi(address, env);
  if (ui === undefined || env.TEMPORAL_UI_ADDRESS) return ui;
  const { hostname, port } = new URL(ui);
  return (await isListening(Number(port), undefined, hostname.replace(/[[\]]/g, ''))) ? ui : undefined;
}

/**
 * The UI of an external server: `TEMPORAL_UI_ADDRESS`, otherwise the development server's default (port 8233 beside
 * 7233 on this machine), otherwise unknown.
 */
export function configuredUi(address: string, env: Env = process.env): string | undefined {
  if (env.TEMPORAL_UI_ADDRESS) return env.TEMPORAL_UI_ADDRESS.replace(/\/+$/, '');
  const local = /^(localhost|127\.0\.0\.1|\[::1\]):(\d+)$/.exec(address);
  return local ? `http://${local[1]}:${Number(local[2]) + 1000}` : undefined;
}
