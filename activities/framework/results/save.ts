/** Writes downloads to a file on the worker, with bounded memory. */
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ToolError } from '../tool/outcome';

export interface SavedFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

async function closed(sink: WriteStream | undefined): Promise<void> {
  if (sink?.closed === false) await new Promise<void>((resolve) => sink.once('close', resolve));
}

/**
 * Writes the pieces under a temporary name until they are complete: readers see the whole file or none.
 *
 * @param kind of the tool, for messages
 * @throws ToolError `FILE_UNWRITABLE`, and errors of `pieces`
 */
export async function save(kind: string, pieces: AsyncIterable<Buffer>, target: string): Promise<SavedFile> {
  const file = path.resolve(target);
  const partial = `${file}.${randomUUID()}.partial`;
  const hash = createHash('sha256');
  let bytes = 0;
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      hash.update(piece);
      bytes += piece.length;
      yield piece;
    }
  };
  let sink: WriteStream | undefined;
  try {
    await mkdir(path.dirname(file), { recursive: true });
    sink = createWriteStream(partial, { flags: 'wx' });
    await pipeline(Readable.from(counted(), { objectMode: false }), sink);
    await rename(partial, file);
  } catch (error) {
    // Until then, a file that was still being opened appears behind our back.
    await closed(sink);
    // If the parent is not a folder even this fails; only the first error matters.
    await rm(partial, { force: true }).catch(() => undefined);
    const { code = '', syscall } = error as NodeJS.ErrnoException;
    if (
      syscall === undefined ||
      !/^E(ACCES|NOSPC|ISDIR|NOTDIR|EXIST|ROFS|PERM|DQUOT|NAMETOOLONG|MFILE)$/.test(code)
    )
      throw error;
    throw new ToolError({
      kind: 'exception',
      code: 'FILE_UNWRITABLE',
      message: `${kind}: the file ${file} cannot be written (${code})`,
      retryable: code === 'ENOSPC' || code === 'EMFILE',
    });
  }
  return { path: file, bytes, sha256: hash.digest('hex') };
}
