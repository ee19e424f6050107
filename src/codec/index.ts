export { decodeForPeople, type Encryption, payloadCodec } from './codec';
export { fromJson, type JsonPayload, toJson } from './wire';
