/** Services of the routes, provided by whatever starts the facade (src/cli/runtime). */
import { type EventEmitter } from 'node:events';
import { type Client } from '@temporalio/client';
import { type KeyRing } from '../../storage/keyring';
import { type SourceDeclaration, type ToolKinds } from '../../language/dsl';
import { type SealedValues } from '../../storage/sealed';
import { type JsonObject, type ListedName } from '../../language/plan';
import { type LogStore } from '../../telemetry/logs';
import { type ResultStore, type StepCache } from '../../storage/payloads';
import { type Database, type Submissions } from '../store';
import { type Elsewhere, type Library } from './catalog/library';
import { type Authenticate } from './http/authenticate';
import { type Metrics } from './http/metrics';
import { type Principal } from './http/route';
import { type TokenScope } from './http/scopes';
import { type ScheduledPlaybooks } from './catalog/scheduled';
import { type TriggerLibrary } from './catalog/triggers';
import { type UnservedQueues } from './executions/unserved';
import { type Readings } from './reading/readings';
import { type Submitter } from './submit/submitter';
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
  /** Opens a credential that requests to the ingress of a subscription are verified with. */
  readonly ingressSecret?: (name: string, path: string) => Promise<JsonObject>;
  /** Storage for output of tasks; without it there are no logs. */
  readonly logs?: LogStore;
  /** Cached results of tasks (`spec.cache`). */
  readonly cache?: StepCache;
  /** How long `auth_cache` keeps a secret after its last use; default one hour. */
  readonly authCacheTtlMs?: number;
  /** Values above the limits of history; without it, `/api/result` returns 404. */
  readonly results?: ResultStore;
  /** Acts in the trace that headers name, where traces are enabled. */
  readonly within?: <T>(headers: object, act: () => Promise<T>) => Promise<T>;
  /** Tool kinds of extension modules, for use in playbooks. */
  readonly kinds?: ToolKinds;
  /** Sources of messages of extension modules, for use in subscriptions. */
  readonly sources?: ReadonlyMap<string, SourceDeclaration>;
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
  readonly submissions: Submissions;
  readonly submitter: Submitter;
  readonly threads: Threads;
  readonly readings: Readings;
  readonly unserved: UnservedQueues;
  readonly scheduled: ScheduledPlaybooks;
  readonly triggers: TriggerLibrary;
  /** `by NAME`, with the id of an execution that the caller of that name has started. */
  readonly starts: EventEmitter;
}
