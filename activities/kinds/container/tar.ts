/** Copies files into a container: the archive is created while it is sent. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Pack } from 'tar-stream';
import { toolPackage } from '../../framework/tool/optional-package';
import { type FileInside } from './request';

/**
 * An archive of regular files: those with a text are executable by all, those of the worker readable by all.
 * Unreadable files cause an error of the stream.
 *
 * @throws ToolError `PACKAGE_MISSING`
 */
export async function archiveOf(files: readonly FileInside[]): Promise<Readable> {
  const { pack } = await toolPackage('container', 'tar-stream', () => import('tar-stream'));
  const archive = pack();
  void fill(archive, files).catch((error: unknown) => archive.destroy(error as Error));
  return Readable.from(archive, { objectMode: false });
}

async function fill(archive: Pack, files: readonly FileInside[]): Promise<void> {
  for (const file of files) {
    const header = { name: file.path.replace(/^\/+/, ''), mtime: new Date(0) };
    if ('text' in file) archive.entry({ ...header, mode: 0o755 }, file.text);
    else {
      const { size } = await stat(file.source);
      await pipeline(createReadStream(file.source), archive.entry({ ...header, size, mode: 0o444 }));
    }
  }
  archive.finalize();
}
