/** What stands in an archive that a container was sent. */
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { extract } from 'tar-stream';

interface Unpacked {
  readonly name: string;
  readonly mode: number;
  readonly text: string;
}

export async function unpacked(archive: Buffer): Promise<Unpacked[]> {
  const files: Unpacked[] = [];
  for await (const entry of Readable.from([archive]).pipe(extract()))
    files.push({ name: entry.header.name, mode: entry.header.mode!, text: await text(entry) });
  return files;
}
