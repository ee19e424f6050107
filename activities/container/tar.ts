/** The little of the tar format (POSIX ustar) that hands files to a container. */

const BLOCK = 512;

/** An archive of regular files, executable by all. @param files by absolute path of at most 100 bytes */
export function tarOf(files: readonly { readonly path: string; readonly text: string }[]): Buffer {
  const blocks = files.flatMap(({ path, text }) => {
    const body = Buffer.from(text);
    const padding = Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK);
    return [header(path.replace(/^\/+/, ''), body.length), body, padding];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  if (Buffer.byteLength(name) > 100) throw new RangeError(`${name} is too long for a tar header`);
  block.write(name, 0);
  block.write('0000755\0', 100);
  block.write('0000000\0', 108);
  block.write('0000000\0', 116);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write('00000000000\0', 136);
  block.write('        ', 148);
  block.write('0', 156);
  block.write('ustar\u000000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
