/** Requests with a token, and what became of them. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly ms: number;
}

const PATIENCE_MS = 300_000;

/** Status 0: no answer. */
export async function send(
  url: string,
  token: string,
  { method, path, body }: { method: string; path: string; body?: unknown },
): Promise<Answer> {
  const began = performance.now();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers,
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text(), ms: performance.now() - began };
  } catch (error) {
    return {
      status: 0,
      text: String((error as { cause?: unknown }).cause ?? error),
      ms: performance.now() - began,
    };
  }
}

/** @throws unless it succeeds */
export async function post(
  url: string,
  token: string,
  path: string,
  body: unknown,
): Promise<Record<string, unknown>> {
  const { status, text } = await send(url, token, { method: 'POST', path, body });
  if (status < 200 || status > 299) throw new Error(`${path}: ${status} ${text.slice(0, 300)}`);
  return JSON.parse(text) as Record<string, unknown>;
}
