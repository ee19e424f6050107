/** A streamed text as the parts between separators, some at once as they arrive; ends with the connection. */
export async function* streamParts(
  body: ReadableStream<Uint8Array>,
  separator: string,
): AsyncGenerator<readonly string[]> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as never)
    .getReader() as ReadableStreamDefaultReader<string>;
  let rest = '';
  for (;;) {
    const { value } = await reader.read().catch(() => ({ value: undefined }));
    if (value === undefined) return;
    const parts = (rest + value).split(separator);
    rest = parts.pop() ?? '';
    yield parts;
  }
}
