/** Services of the routes, provided by whatever starts the facade (src/cli/runtime). */
import { type Client } from '@temporalio/client';
import { type KeyRing } from '../../storage/keyring';
import { type ToolKinds } from '../../language/dsl';
import { type SealedValues } from '../../storage/sealed';
import { type ListedName } from '../../language/plan';
import { type LogStore } from '../../telemetry/logs';
import { type StepCache } from '../../storage/payloads';
import { type Database } from '../store';
import { type Elsewhere, type Library } from './catalog/library';
import { type Authenticate } from './http/authenticate';
import { type Metrics } from './http/metrics';
import { type Principal } from './http/route';
import { type TokenScope } from './http/scopes';
import { type ScheduledPlaybooks } from './catalog/scheduled';
import { type UnservedQueues } from './executions/unserved';
import { type Readings } from './reading/readings';
import { type Threads } from './threads/threads';

export interface FacadeServices {
  readonly client: Client;
  readonly database: Database;
  readonly authenticate: Authenticate;
  /** The principal of a token, if tokens are required (`TokenAuthentication`). @throws FacadeError 401, 403 */
  readonly checkToken?: (token: string, scope: TokenScope) => Promise<Principal>;
  /** By token, also where none is required: for what a token is required for all the same. */
  readonly byToken?: Authenticate;
  /** For stored credentials; without keys, routes that need them return 503. */
  readonly keys?: KeyRing;
  /** Origins of the Temporal UI, whose pages may have payloads decrypted (`/codec`); none by default. */
  readonly uiOrigins?: readonly string[];
  /** Storage for values of secret inputs; without it, playbooks that have some are refused with 503. */
  readonly sealed?: SealedValues;
  /** Storage for output of tasks; without it there are no logs. */
  readonly logs?: LogStore;
  /** Cached results of tasks (`spec.cache`). */
  readonly cache?: StepCache;
  /** How long `auth_cache` keeps a secret after its last use; default one hour. */
  readonly authCacheTtlMs?: number;
  /** Tool kinds of extension modules, for use in playbooks. */
  readonly kinds?: ToolKinds;
  /** Playbooks available to workers outside the catalog, for checking calls. */
  readonly playbooks?: Elsewhere;
  /** Paths of playbooks, with `*`, that may ask for more than their turn; absent: all may. */
  readonly prioritized?: readonly string[];
  /** Targets of notifications that authors may name. */
  readonly listedTargets?: readonly ListedName[];
  /** Of this release. */
  readonly version: string;
  /** Called with unexpected errors. */
  readonly report: (error: unknown) => void;
  /** For `/metrics`; without it there is no such route. */
  readonly metrics?: Metrics;
  /** Aborted when the process shuts down: streams are closed properly. */
  readonly stopping?: AbortSignal;
  /** Called when Temporal does not respond while an execution is followed. */
  readonly away?: () => void;
}

/** Services that the routes create once per facade. */
export interface RouteServices extends FacadeServices {
  readonly library: Library;
  readonly threads: Threads;
  readonly readings: Readings;
  readonly unserved: UnservedQueues;
  readonly scheduled: ScheduledPlaybooks;
}
