/**
 * The container engine of this worker: DOCKER_HOST, otherwise the default socket. Its client is an optional
 * dependency.
 */
import type Docker from 'dockerode';
import { toolPackage } from '../../framework/tool/optional-package';

let engine: { readonly address: string | undefined; readonly client: Docker } | undefined;

/** @throws ToolError `PACKAGE_MISSING` */
export async function dockerEngine(): Promise<Docker> {
  const address = process.env['DOCKER_HOST'];
  if (!engine || engine.address !== address) {
    const { default: Client } = await toolPackage('container', 'dockerode', () => import('dockerode'));
    engine = { address, client: new Client() };
  }
  return engine.client;
}

/** The modem of dockerode: its types omit what it detects itself. */
interface Modem {
  /** Undefined for an engine with a host. */
  getSocketPath(): Promise<string> | undefined;
  readonly host?: string;
  readonly port?: string | number;
}

/** The engine's address for messages: the path of its socket, or host and port. */
export async function engineAddress({ modem }: Docker): Promise<string> {
  const own = modem as unknown as Modem;
  return (await own.getSocketPath()) ?? `${own.host ?? 'localhost'}:${own.port ?? ''}`;
}
