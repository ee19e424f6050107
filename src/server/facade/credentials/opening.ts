/** Who may open which credential for what: the bindings of tokens and of credentials. */
import { type Request } from 'express';
import { type Grant, openGrant } from '../../../storage/codec';
import { GRANT_HEADER } from '../../../language/plan';
import { isUnderWay, playbookOf, type PlaybookOf } from '../../../temporal/client';
import { fitsAny } from '../../store';
import { FacadeError } from '../http/errors';
import { type Principal, type RouteRequest } from '../http/route';
import { hasToken } from '../http/tokens';
import { type FacadeServices } from '../services';
import { type RequestedCredential, whyRefused } from './token-rights';

/** What a request wants to open, and what for. */
export interface Opening extends RequestedCredential {
  readonly executionId?: string | null;
  /** Of the credential. */
  readonly paths?: readonly string[] | null;
}

type Asking = Pick<RouteRequest<unknown, unknown, unknown>, 'principal' | 'request'>;

/** Checks what a request wants to open. */
export class Gate {
  private readonly playbookOf: PlaybookOf;

  constructor(private readonly services: FacadeServices) {
    this.playbookOf = playbookOf(services.client);
  }

  /**
   * Who wants to read secrets: where no token is required, tasks of playbooks can ask as well as people can, so that a
   * token is required here.
   *
   * @throws FacadeError 401, 403 as for a facade with tokens
   */
  async readerOf({ principal, request }: Asking): Promise<Principal> {
    if (!principal.anyone) return principal;
    if (this.services.byToken && hasToken(request)) return await this.services.byToken(request, 'worker');
    throw new FacadeError(
      401,
      'TOKEN_NEEDED',
      'secrets are read with a token of scope worker, also where nothing else needs one: noetl-temporal tokens create NAME --scopes worker; or read it with noetl-temporal credentials get NAME --show',
    );
  }

  /**
   * @throws FacadeError 403 `CREDENTIAL_REFUSED` (a limit of the token, or of the credential), `GRANT_MISSING`,
   * `GRANT_REFUSED`
   */
  async permit(principal: Principal, opening: Opening, request: Request): Promise<void> {
    const why = whyRefused(principal, opening, this.services.kinds);
    if (why !== undefined) throw new FacadeError(403, 'CREDENTIAL_REFUSED', why);
    const { granted, pools } = principal.limits ?? {};
    if (granted || pools) await this.checkGrant(principal, opening, request.get(GRANT_HEADER));
    await this.checkPaths(principal, opening);
  }

  /** @throws FacadeError 403 */
  private async checkGrant(
    { name: token, limits = {} }: Principal,
    opening: Opening,
    presented: string | undefined,
  ): Promise<void> {
    if (presented === undefined)
      throw new FacadeError(
        403,
        'GRANT_MISSING',
        `the token "${token}" opens only what a running task names, and the request names no task`,
      );
    const grant = this.services.keys && openGrant(presented, this.services.keys);
    const why = grant ? whyNotGranted(grant, opening, limits) : 'its grant is not valid';
    if (why !== undefined)
      throw new FacadeError(
        403,
        'GRANT_REFUSED',
        `'${opening.name}' was refused to the token "${token}": ${why}`,
      );
    const { workflow, task } = grant!;
    if (await isUnderWay(this.services.client, workflow, task)) return;
    throw new FacadeError(
      403,
      'GRANT_REFUSED',
      `'${opening.name}' was refused to the token "${token}": the task of its grant is not running`,
    );
  }

  /** @throws FacadeError 403 */
  private async checkPaths(
    { name: token, limits, scopes }: Principal,
    { name, executionId, paths: bound }: Opening,
  ): Promise<void> {
    const own = limits?.paths;
    const whoLimits: (readonly [string, readonly string[]])[] = [
      ...(own ? [[`the token "${token}"`, own] as const] : []),
      ...(bound ? [[`'${name}'`, bound] as const] : []),
    ];
    // An administrator looks at a credential for no execution.
    if (whoLimits.length === 0 || (!executionId && !own && scopes.includes('admin'))) return;
    const path = executionId ? await this.playbookOf(executionId) : undefined;
    const whose = path === undefined ? 'the request is for no known execution' : `the execution runs ${path}`;
    for (const [who, paths] of whoLimits) {
      if (path !== undefined && fitsAny(paths, path)) continue;
      const why = `${who} is limited to playbooks called ${paths.join(', ')}, and ${whose}`;
      throw new FacadeError(403, 'CREDENTIAL_REFUSED', why);
    }
  }
}

function whyNotGranted(
  { opens, kind, pool }: Grant,
  { name, executionId }: Opening,
  { kinds, pools }: NonNullable<Principal['limits']>,
): string | undefined {
  const named = executionId ? (opens[executionId] ?? []) : Object.values(opens).flat();
  if (!named.includes(name)) return 'the task does not name it';
  if (kinds && !kinds.includes(kind))
    return `the task is of kind ${kind}, and the token is limited to ${kinds.join(', ')}`;
  if (pools && !pools.includes(pool))
    return `the task is of pool ${pool}, and the token is limited to ${pools.join(', ')}`;
  return undefined;
}
