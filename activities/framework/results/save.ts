/** What a tool downloads goes into a file of the worker, in bounded memory. */
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
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

/**
 * Writes the pieces under another name until they are all there: whoever looks sees a whole file or none.
 *
 * @param kind of the tool, for messages
 * @throws ToolError `FILE_UNWRITABLE`, and what `pieces` throws
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
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await pipeline(
      Readable.from(counted(), { objectMode: false }),
      createWriteStream(partial, { flags: 'wx' }),
    );
    await rename(partial, file);
  } catch (error) {
    // Below something that is no folder even this fails; what failed first is what matters.
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
