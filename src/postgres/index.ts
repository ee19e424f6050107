export { addressOf, tlsOf, TlsWordError, type TlsWords, wordsOf, wordsOfFields } from './address';
export { openPool } from './pool';
