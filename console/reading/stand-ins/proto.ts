/**
 * In place of `@temporalio/proto`, half a megabyte of message types: histories come as JSON (history-json.ts), and of the
 * types only their names are looked at.
 */
const named = (): Record<string, unknown> => ({
  create: (fields: object) => fields,
  ExternalPayloadDetails: {},
});

export const temporal = {
  api: {
    common: { v1: { Payload: named() } },
    sdk: { v1: { ExternalStorageReference: named() } },
    failure: { v1: { ProtoFailure: named() } },
    enums: { v1: {} },
  },
};
export default { temporal };
export const patchProtobufRoot = (root: object): object => ({ ...root, lookupType: () => ({}) });

/** Only other workflows have protobuf values. */
export class ProtobufJsonPayloadConverter {}
export class ProtobufBinaryPayloadConverter {}
