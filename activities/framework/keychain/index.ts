export { Keychain, MemoryCache, processKeychain } from './keychain';
export { type ResolvedEntry } from './resolved';
export { entryKind, secretsWrittenIn } from './kinds';
export { defaultKeychain, SharedCache } from './shared';
