export { SEALED, sealedValues, type SealedValues } from './sealed-values';
export { sealPayload, type SealedPayload } from './secret-inputs';
