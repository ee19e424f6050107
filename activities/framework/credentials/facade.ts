/** Stored credentials, fetched from the facade: cached in memory for half a minute, never written anywhere. */
import { compact, isMapping, type JsonObject } from '../../../src/language/plan';
import { type Credential, type CredentialContext, type CredentialProvider } from './credential';
import { askFacade, type FacadeAddress } from './facade-client';

/** How long a rotated or deleted credential may still be used. */
const KEEP_MS = 30_000;
const MAX_KEPT = 500;

/**
 * Cached per execution, because the facade audits which execution read a credential. Concurrent requests share one
 * response.
 *
 * @param now milliseconds from any monotonic clock
 * @throws ToolError as `askFacade` does
 */
export function facadeProvider(
  facade: FacadeAddress,
  now: () => number = () => performance.now(),
): CredentialProvider {
  const kept = new Map<
    string,
    { readonly until: number; readonly answer: Promise<Credential | undefined> }
  >();
  const tidy = (): void => {
    for (const [key, { until }] of kept) if (until <= now()) kept.delete(key);
    while (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value!);
  };
  return {
    find(name, context) {
      const key = JSON.stringify([context.execution_id, name]);
      const cached = kept.get(key);
      if (cached && cached.until > now()) return cached.answer;
      tidy();
      const answer = fetchCredential(facade, name, context);
      kept.set(key, { until: now() + KEEP_MS, answer });
      const forget = (): void => {
        if (kept.get(key)?.answer === answer) kept.delete(key);
      };
      // A missing credential may be stored any moment, and a failed request may succeed: neither is cached.
      answer.then((credential) => credential ?? forget(), forget);
      return answer;
    },
    hint: (name) =>
      `the facade (POST ${facade.url}/api/credentials, or noetl-temporal credentials add ${name})`,
  };
}

async function fetchCredential(
  facade: FacadeAddress,
  name: string,
  { execution_id, grant }: CredentialContext,
): Promise<Credential | undefined> {
  const query = new URLSearchParams({
    include_data: 'true',
    ...(/^\d+$/.test(execution_id) && { execution_id }),
  });
  const answer = await askFacade(facade, {
    method: 'GET',
    path: `/api/credentials/${encodeURIComponent(name)}?${query}`,
    what: `the credential '${name}'`,
    ...compact({ grant }),
  });
  if (!answer || !isMapping(answer['data'])) return undefined;
  const { type, data } = answer;
  return { name, ...(typeof type === 'string' && { type }), data: data as JsonObject };
}
