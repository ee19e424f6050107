import { configuredAddress } from '../../../temporal/client/address';
import { refuseLocal } from '../../input/here-only';
import { type Asking } from './ask';
import { type FacadePort, type Port, type PortFlags } from './port';

export { type FacadePort, type Port, type PortFlags } from './port';

/** Options of commands that ask for something. */
export interface RemoteFlags extends PortFlags {
  readonly json?: boolean;
}

/** What only this machine has. */
const LOCAL = ['data', 'storage', 'database'] as const;
/** `''`: the default one. */
export const USUAL_FACADE = '';

/**
 * The facade to ask: that of `--server`, else of NOETL_FACADE_URL if nothing of this machine is named. Undefined: this
 * process.
 *
 * @throws UsageError for options that conflict with `--server`
 */
export function facadeNamed(
  flags: PortFlags,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  if (flags.server !== undefined) {
    refuseLocal(flags, LOCAL);
    return flags.server;
  }
  return LOCAL.some((name) => flags[name] !== undefined) ? undefined : env['NOETL_FACADE_URL'] || undefined;
}

/** As `facadeNamed`, for what belongs to a facade: the default one, unless Temporal itself is named. */
export function facadeOrTemporal(
  flags: PortFlags,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  const isHere = flags.data !== undefined || configuredAddress(env) !== undefined;
  return facadeNamed(flags, env) ?? (isHere ? undefined : USUAL_FACADE);
}

/** Asks at a facade, or in this process, whose connections are closed afterwards. Loads only what that needs. */
export async function withPort<T>(
  flags: PortFlags,
  use: (port: Port) => Promise<T>,
  facade = facadeNamed(flags),
): Promise<T> {
  const port = facade === undefined ? (await import('./here.js')).portHere(flags) : await facadePort(facade);
  try {
    return await use(port);
  } finally {
    await port.close();
  }
}

/** As `ask`, once. */
export async function askAt<T>(
  flags: PortFlags,
  path: string,
  asking?: Asking,
  facade = facadeNamed(flags),
): Promise<T> {
  const { ask } = await import('./ask.js');
  return await withPort(flags, (port) => ask<T>(port, path, asking), facade);
}

/** @param named default: NOETL_FACADE_URL, or the usual one of this machine */
export async function facadePort(named: string | undefined): Promise<FacadePort> {
  const { facadeOf } = await import('./facade.js');
  return facadeOf(named || undefined);
}
