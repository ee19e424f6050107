export { decodeForPeople, type Encryption, encryptsPayloads, payloadCodec } from './codec';
export { compression, plainConverter } from './compression';
export { fromJson, type JsonPayload, toJson } from './wire';
