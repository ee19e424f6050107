/** What commands ask: a facade, or its handlers in this process. */
import { type RequestHere, type ResponseHere } from '../../../server/facade/in-process';

export interface Port {
  /** Of a facade elsewhere. */
  readonly url?: string;
  /** @param path from `/api` on */
  fetch(path: string, request: RequestHere): Promise<ResponseHere>;
  close(): Promise<void>;
  /**
   * The execution id of what the user names, here also by a workflow id.
   *
   * @throws UsageError if it cannot be one, CodedError `EXECUTION_NOT_FOUND`
   */
  idOf(name: string): Promise<string>;
}

/** A facade elsewhere. */
export interface FacadePort extends Port {
  readonly url: string;
}

/** Where a command asks. */
export interface PortFlags {
  readonly data?: string;
  readonly storage?: string;
  readonly server?: string;
  readonly database?: string;
}
