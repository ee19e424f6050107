/** A plain GET of text for the tools' own needs (scripts), with the guards of the http kind. */
import { type Credential } from '../credentials/credential';
import { ToolError } from '../tool/outcome';
import { requestAuth } from './auth';
import { statusFailure, transportFailure } from './errors';
import { exchange, readBody } from './transport';

export interface GetOptions {
  readonly signal: AbortSignal;
  readonly maxBytes: number;
  /** Keyed by lower-case name. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly credential?: Credential | undefined;
}

/** @throws ToolError for any response other than 2xx */
export async function get(
  address: string,
  { signal, maxBytes, headers = {}, credential }: GetOptions,
): Promise<string> {
  const url = new URL(address);
  const auth = requestAuth(credential);
  for (const [name, value] of Object.entries(auth.query)) url.searchParams.set(name, value);
  const sent = { ...headers };
  for (const [name, value] of Object.entries(auth.headers)) sent[name.toLowerCase()] = value;
  const limits = { connectTimeoutMs: 10_000, readTimeoutMs: 30_000 };
  try {
    const response = await exchange({
      url,
      method: 'GET',
      headers: sent,
      // Credentials for one host must not be sent to another.
      secretHeaders: Object.keys(sent),
      followRedirects: true,
      verifySsl: true,
      ...limits,
      maxResponseBytes: maxBytes,
      signal,
    });
    const body = await readBody(response);
    if (response.status < 200 || response.status > 299) throw new ToolError(statusFailure('GET', response));
    return body.toString('utf8');
  } catch (error) {
    throw transportFailure('GET', url, error, limits);
  }
}
