export { type CredentialReader } from './audit';
export { AuthCache, type Cached, DEFAULT_TTL_MS, MAX_KEY_LENGTH, MAX_TTL_MS } from './auth-cache';
export { type CredentialInfo, Credentials, type NewCredential } from './credentials';
export { type Rotated, rotateCredentials } from './rotate';
