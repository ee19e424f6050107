/** The container engine of this worker: DOCKER_HOST, else the usual socket. Its client is an optional dependency. */
import type Docker from 'dockerode';
import { optionalPackage } from '../optional-package';

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
