export { type KeychainCache, Keychain, MemoryCache, processKeychain } from './keychain';
export { type ResolvedEntry } from './resolved';
export { entryKind } from './kinds';
