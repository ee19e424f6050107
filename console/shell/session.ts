/** Who uses the page, and what they may. */
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

/** Buttons for what the token may not do are not there. */
export function useMay(scope: ConsoleSession['scopes'][number]): boolean {
  return useSession().scopes.includes(scope);
}
