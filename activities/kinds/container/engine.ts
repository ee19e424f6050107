/** The container engine of this worker: DOCKER_HOST, else the usual socket. Its client is an optional dependency. */
import type Docker from 'dockerode';
import { optionalPackage } from '../../framework/tool/optional-package';

let engine: { readonly address: string | undefined; readonly client: Docker } | undefined;

/** @throws ToolError `PACKAGE_MISSING` */
export async function dockerEngine(): Promise<Docker> {
  const address = process.env['DOCKER_HOST'];
  if (!engine || engine.address !== address) {
    const { default: Client } = await optionalPackage('container', 'dockerode', () => import('dockerode'));
    engine = { address, client: new Client() };
  }
  return engine.client;
}

/** The modem of dockerode as it is: its types leave out what it finds by itself. */
interface Modem {
  /** Undefined for an engine that has a host. */
  getSocketPath(): Promise<string> | undefined;
  readonly host?: string;
  readonly port?: string | number;
}

/** Where the engine is, for messages: the path of its socket, or host and port. */
export async function engineAddress({ modem }: Docker): Promise<string> {
  const own = modem as unknown as Modem;
  return (await own.getSocketPath()) ?? `${own.host ?? 'localhost'}:${own.port ?? ''}`;
}
