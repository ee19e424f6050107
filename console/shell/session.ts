/** The user of the page and their permissions. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type ConsoleSession } from '../../src/server/facade/documents';

export const SessionContext = createContext<ConsoleSession>({
  needs_token: false,
  name: null,
  scopes: [],
  version: '',
  temporal_ui: null,
});

export const useSession = (): ConsoleSession => useContext(SessionContext);

/** Actions that the token does not permit have no buttons. */
export function useMay(scope: ConsoleSession['scopes'][number]): boolean {
  return useSession().scopes.includes(scope);
}
