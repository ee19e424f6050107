/** Error codes of Node and OpenSSL meaning that the connection works, but trust or protocol does not. */
const CODES = /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_|ALTNAME|EPROTO/;

export function isTlsFailure(code: string): boolean {
  return CODES.test(code);
}

/** A hint to append to a message; empty if there is none. */
export function tlsHint(code: string, fields: { readonly ca: string; readonly identity: string }): string {
  if (/SELF_SIGNED|UNABLE_TO|UNTRUSTED/.test(code))
    return `: the server's certificate is not trusted; name its CA with ${fields.ca}`;
  if (code === 'CERT_HAS_EXPIRED') return ": the server's certificate has expired";
  if (/ALTNAME/.test(code)) return ': the certificate is for another host name';
  if (/CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|ALERT/.test(code))
    return `: the server may want a client certificate (${fields.identity})`;
  return '';
}
