export { addressOf, postgresTls, type TlsWords, withoutWords, wordsOf, wordsOfFields } from './address';
export { openPool } from './pool';
export { transaction } from './transaction';
export { isUnavailable } from './unavailable';
