/** The bytes of base64, the form in which results show them; undefined for other text. */
export function bytesOfBase64(text: string): Buffer | undefined {
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)
    ? Buffer.from(text, 'base64')
    : undefined;
}

export function notBase64(kind: string, column: string): string {
  return `${kind}: column \`${column}\` contains bytes, but its value is not base64; filter it with b64encode`;
}
