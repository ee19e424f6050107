/** Stored credentials, asked of the facade: kept in memory for half a minute, never written anywhere. */
import { isMapping, type JsonObject } from '../../../src/plan';
import { type Credential, type CredentialContext, type CredentialProvider } from './credential';
import { askFacade, type FacadeAddress } from './facade-client';

/** How long a rotated or deleted credential may still be used. */
const KEEP_MS = 30_000;
const MAX_KEPT = 500;

/**
 * Of each execution its own, for the facade records which execution a credential was read for. Tasks that ask at once
 * share one answer.
 *
 * @param now milliseconds, of any clock that runs
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
      // What is not there now may be stored the next moment; what failed may work.
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
  { execution_id }: CredentialContext,
): Promise<Credential | undefined> {
  const query = new URLSearchParams({
    include_data: 'true',
    ...(/^\d+$/.test(execution_id) && { execution_id }),
  });
  const found = await askFacade(facade, {
    method: 'GET',
    path: `/api/credentials/${encodeURIComponent(name)}?${query}`,
    what: `the credential '${name}'`,
  });
  if (!found || !isMapping(found['data'])) return undefined;
  const { type, data } = found;
  return { name, ...(typeof type === 'string' && { type }), data: data as JsonObject };
}
