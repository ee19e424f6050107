/**
 * Scopes of a caller: `read` and `run` are for NoETL's users, `worker` fetches credentials, `admin` includes all.
 */
export const SCOPES = ['read', 'run', 'worker', 'admin'] as const;
export type TokenScope = (typeof SCOPES)[number];
