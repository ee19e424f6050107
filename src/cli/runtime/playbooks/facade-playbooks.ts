/** Sub-playbooks of the catalog, for workers in separate processes: requested from the facade. */
import { isMapping, type Plan, type PlaybookRequest } from '../../../language/plan';
import { type FacadeAddress, PlaybookRefused, type PlaybookResolver } from '../../../temporal/worker';
import { refusedAsInvalid } from './refused';

/** The requesting activity has a limit of one minute. */
const LIMIT_MS = 20_000;

export class FacadePlaybooks implements PlaybookResolver {
  constructor(private readonly facade: FacadeAddress) {}

  async resolve({ path, version }: PlaybookRequest): Promise<Plan> {
    const { url, token } = this.facade;
    const response = await fetch(`${url}/api/catalog/plan`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ path, version }),
      // The token must be sent to no other address.
      redirect: 'error',
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const answer: unknown = await response.json().catch(() => undefined);
    const body = isMapping(answer) ? answer : {};
    if (response.ok && isMapping(body['plan'])) return body['plan'] as unknown as Plan;
    const message = typeof body['detail'] === 'string' ? body['detail'] : `HTTP ${response.status}`;
    if (body['code'] === 'PLAYBOOK_NOT_FOUND') throw new PlaybookRefused('PLAYBOOK_NOT_FOUND', message);
    if (response.status === 422) throw refusedAsInvalid(message, body['diagnostics']);
    // A facade that is down, or a token that is being replaced: the activity retries.
    throw new Error(`the facade at ${url} did not return the playbook ${path}: ${message}`);
  }
}
