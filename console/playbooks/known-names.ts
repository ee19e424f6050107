/** Tells the language service which playbooks the catalog has, and the names of credentials: what may not be read is not told. */
import { useEffect } from 'preact/hooks';
import { type CatalogVersion, type CredentialDocument } from '../../src/server/facade/documents';
import { type Compiler } from '../compiling/use';
import { askApi } from '../server/api';

export function useKnownNames(compiler: Compiler): void {
  useEffect(() => {
    const aborted = new AbortController();
    const { signal } = aborted;
    const names = async (): Promise<void> => {
      const [catalog, stored] = await Promise.all([
        askApi<{ entries: readonly CatalogVersion[] }>('/api/catalog/list', { body: {}, signal }).catch(
          () => undefined,
        ),
        askApi<{ items: readonly CredentialDocument[] }>('/api/credentials', { signal }).catch(
          () => undefined,
        ),
      ]);
      if (signal.aborted) return;
      await compiler.know({
        playbooks: new Map(catalog?.entries.map(({ path }) => [path, []])),
        credentials: stored?.items.map(({ name }) => name) ?? [],
      });
    };
    void names();
    return () => aborted.abort();
  }, []);
}
