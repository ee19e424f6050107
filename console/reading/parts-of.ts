/** A streamed text in pieces, as it arrives. Not every browser iterates over streams. */
export async function* textPieces(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as never)
    .getReader() as ReadableStreamDefaultReader<string>;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

/** A streamed text as the parts between separators, some at once as they arrive; ends with the connection. */
export async function* streamParts(
  body: ReadableStream<Uint8Array>,
  separator: string,
): AsyncGenerator<readonly string[]> {
  let rest = '';
  const pieces = textPieces(body);
  for (;;) {
    const { value } = await pieces.next().catch(() => ({ value: undefined }));
    if (value === undefined) return;
    const parts = (rest + value).split(separator);
    rest = parts.pop() ?? '';
    yield parts;
  }
}
