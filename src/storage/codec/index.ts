export { decodeForPeople, type Encryption, encryptsPayloads, payloadCodec } from './codec';
export { compression, plainConverter } from './compression';
export { type Grant, grantCodec, openGrant } from './grants';
export { fromJson, type JsonPayload, payloadToJson } from './wire';
