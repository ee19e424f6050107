export { SEALED, sealedValues, type SealedValues } from './sealed-values';
export { sealPayload } from './secret-inputs';
