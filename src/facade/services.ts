/** What the routes work with; whoever starts the facade (src/cli/runtime) brings it. */
import { type Client } from '@temporalio/client';
import { type KeyRing } from '../keyring';
import { type ToolKinds } from '../dsl';
import { type SealedValues } from '../sealed';
import { type LogStore } from '../logs';
import { type Database } from '../store';
import { type Elsewhere, type Library } from './catalog/library';
import { type Authenticate } from './http/authenticate';
import { type Metrics } from './http/metrics';
import { type Principal, type Scope } from './http/route';
import { type Threads } from './threads/threads';

export interface FacadeServices {
  readonly client: Client;
  readonly database: Database;
  readonly authenticate: Authenticate;
  /** Whose token a text is, where callers need one (`TokenAuthentication`). @throws FacadeError 401, 403 */
  readonly checkToken?: (token: string, scope: Scope) => Promise<Principal>;
  /** Of stored credentials; without them whatever needs them is answered 503. */
  readonly keys?: KeyRing;
  /** Origins of the Temporal UI, whose pages may ask for payloads to be decrypted (`/codec`); none by default. */
  readonly uiOrigins?: readonly string[];
  /** Where values of secret inputs go; without it playbooks that have some are answered 503. */
  readonly sealed?: SealedValues;
  /** Where workers store what tasks print; without it nobody can be told. */
  readonly logs?: LogStore;
  /** How long `auth_cache` keeps a secret after its last use; default one hour. */
  readonly authCacheTtlMs?: number;
  /** Tool kinds of extension modules, which playbooks may name. */
  readonly kinds?: ToolKinds;
  /** Playbooks that workers find beside the catalog, for what is said of calls. */
  readonly playbooks?: Elsewhere;
  /** Of this release, for documents that name it. */
  readonly version: string;
  /** Told of errors that nobody foresaw. */
  readonly report: (error: unknown) => void;
  /** What `/metrics` tells; without it there is no such route. */
  readonly metrics?: Metrics;
  /** Aborted when the process is about to end: streams say goodbye. */
  readonly stopping?: AbortSignal;
}

/** What the routes have besides: made of the services, once a facade. */
export interface RouteServices extends FacadeServices {
  readonly library: Library;
  readonly threads: Threads;
}
