/** Codes of Node and OpenSSL that mean: the connection is there, but not the trust, or not the protocol. */
const CODES = /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_|ALTNAME|EPROTO/;

export function isTlsFailure(code: string): boolean {
  return CODES.test(code);
}

/** What to do about it, to go on after a message; empty where nobody knows. */
export function tlsHint(code: string, fields: { readonly ca: string; readonly identity: string }): string {
  if (/SELF_SIGNED|UNABLE_TO|UNTRUSTED/.test(code))
    return `: nobody known vouches for the server; name its CA with ${fields.ca}`;
  if (code === 'CERT_HAS_EXPIRED') return ": the server's certificate has expired";
  if (/ALTNAME/.test(code)) return ': the certificate is for another host name';
  if (/CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|ALERT/.test(code))
    return `: the server may want a client certificate (${fields.identity})`;
  return '';
}
