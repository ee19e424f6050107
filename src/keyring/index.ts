export { KeyRingError, type KeyRingErrorCode } from './error';
export { type Key, type KeyRing, keyRing } from './keyring';
export { configuredKeyRing, KEY_FILE, knownKeyRing, localKeyRing, parseKeys } from './keys';
