import { PayloadCodec, Payload, LoadedDataConverter } from '@temporalio/common';
declare const MAX_UNPACKED_BYTES: number;
declare const compression: PayloadCodec;
declare const plainConverter: LoadedDataConverter;
declare function isCompressed({ metadata }: Payload): boolean;
declare function uncompressed(payload: Payload, limit?: number): Promise<Payload>;
export { MAX_UNPACKED_BYTES, compression, isCompressed, plainConverter, uncompressed };
