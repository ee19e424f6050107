/** A plain GET of text for what tools themselves need (scripts), with the guards of the http kind. */
import { ToolError } from '../outcome';
import { statusFailure, transportFailure } from './errors';
import { exchange, read } from './transport';

/** @throws ToolError for anything but a 2xx answer */
export async function get(address: string, signal: AbortSignal, maxResponseBytes: number): Promise<string> {
  const url = new URL(address);
  const limits = { connectTimeoutMs: 10_000, readTimeoutMs: 30_000 };
  try {
    const response = await exchange({
      url,
      method: 'GET',
      headers: {},
      secretHeaders: [],
      followRedirects: true,
      verifySsl: true,
      ...limits,
      maxResponseBytes,
      signal,
    });
    const body = await read(response);
    if (response.status < 200 || response.status > 299) throw new ToolError(statusFailure('GET', response));
    return body.toString('utf8');
  } catch (error) {
    throw transportFailure('GET', url, error, limits);
  }
}
