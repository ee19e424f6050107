/** Key in a payload's metadata: the payload arrived encrypted, so the execution's failures must be encrypted too. */
export const WAS_ENCRYPTED = 'noetl-was-encrypted';
