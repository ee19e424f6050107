/** Who uses the page, and what they may. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type Scope, type Session } from '../server/types';

export const SessionContext = createContext<Session>({
  needs_token: false,
  name: null,
  scopes: [],
  version: '',
  temporal_ui: null,
});

export const useSession = (): Session => useContext(SessionContext);

/** Buttons for what the token may not do are not there. */
export function useMay(scope: Scope): boolean {
  return useSession().scopes.includes(scope);
}
