/** Key of a payload's metadata: it came encrypted, so what the same execution says of failures is to be encrypted. */
export const WAS_ENCRYPTED = 'noetl-was-encrypted';
