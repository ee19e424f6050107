export {
  addressOf,
  tlsOf,
  TlsWordError,
  type TlsWords,
  withoutWords,
  wordsOf,
  wordsOfFields,
} from './address';
export { openPool } from './pool';
