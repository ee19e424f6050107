export { auditDocument, type AuditEntry, type Reader } from './audit';
export {
  AuthCache,
  type Cached,
  type CachedInfo,
  DEFAULT_TTL_MS,
  MAX_KEY_LENGTH,
  MAX_TTL_MS,
  type NewCached,
} from './auth-cache';
export { type CredentialInfo, Credentials, type NewCredential, type StoredCredential } from './credentials';
export { type Rotated, rotateCredentials } from './rotate';
