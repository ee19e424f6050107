export { KeyRingError } from './error';
export { type KeyRing, keyRing } from './keyring';
export { configuredKeyRing, KEY_FILE, knownKeyRing, localKeyRing, parseKeys } from './keys';
