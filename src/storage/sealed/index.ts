export { type AnswerLink, answerLinkPath, linkExpires, openAnswerLink } from './answer-link';
export { SEALED, sealedValues, type SealedValues } from './sealed-values';
export { sealPayload } from './secret-inputs';
