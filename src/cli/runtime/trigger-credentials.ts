/** Credentials that triggers open, for no execution. */
import { type Client } from '@temporalio/client';
import { type CredentialResolver } from '../../../activities/framework/credentials';
import { type JsonObject } from '../../language/plan';
import { type PlaybookOf, playbookOf } from '../../temporal/client';
import { configuredFacade } from '../../temporal/worker/facade-address';

/** In place of an execution: a credential that is bound to paths is opened for the subscription's. */
export function ofTrigger(path: string): string {
  return `trigger:${path}`;
}

/** As `playbookOf`, also for those. */
export function pathOf(client: Client): PlaybookOf {
  const ofExecution = playbookOf(client);
  return async (id) => (id.startsWith('trigger:') ? id.slice('trigger:'.length) : await ofExecution(id));
}

/** For what requests to an ingress are verified with. */
export function ingressSecretOf(credentials: CredentialResolver) {
  return async (name: string, path: string): Promise<JsonObject> =>
    (await credentials.resolve(name, { execution_id: ofTrigger(path) })).data;
}

/** Without the facade that this process is itself: it has what it would ask for. */
export function besidesItself(
  { host, port }: { readonly host: string; readonly port: number },
  env = process.env,
): NodeJS.ProcessEnv {
  const facade = configuredFacade(env);
  const { hostname, port: named, protocol } = new URL(facade?.url ?? 'http://none');
  const isHere = [host, '127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  const isPort = Number(named || (protocol === 'https:' ? 443 : 80)) === port;
  return isHere && isPort ? { ...env, NOETL_FACADE_URL: undefined } : env;
}
