/** What the routes work with; whoever starts the facade (src/cli/runtime) brings it. */
import { type Client } from '@temporalio/client';
import { type Database } from '../store';
import { type Authenticate } from './http/authenticate';

export interface FacadeServices {
  readonly client: Client;
  readonly database: Database;
  readonly authenticate: Authenticate;
  /** Of this release, for documents that name it. */
  readonly version: string;
  /** Told of errors that nobody foresaw. */
  readonly report: (error: unknown) => void;
}
