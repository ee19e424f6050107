// Packs editors/vscode with the language server: dist/editors/noetl-temporal.vsix, which VS Code and its relatives install.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';
import esbuild from 'esbuild';
import { docsRef, linkedTo } from './docs-ref.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const source = path.join(root, 'editors', 'vscode');

/** Both run in Node: the client in the editor's process, the server with its thread in processes of their own. */
async function bundled() {
  const { outputFiles } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: {
      extension: 'editors/vscode/src/extension.ts',
      server: 'editors/vscode/src/server.ts',
      checker: 'src/cli/lsp/checker.ts',
    },
    outdir: 'out',
    bundle: true,
    minify: true,
    write: false,
    platform: 'node',
    target: 'node20',
    external: ['vscode'],
    plugins: [linkedTo(docsRef(root))],
    legalComments: 'none',
    logLevel: 'error',
  });
  return outputFiles.map(({ path: file, contents }) => [`extension/out/${path.basename(file)}`, contents]);
}

/** A zip archive of the files, as a .vsix is one. */
function zip(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [name, content] of files) {
    const data = Buffer.from(content);
    const packed = zlib.deflateRawSync(data, { level: 9 });
    const bytes = Buffer.from(name);
    const header = Buffer.alloc(26);
    // Version 2.0, no flags, deflated, the first moment of the format: the same files make the same archive.
    header.writeUInt16LE(20, 0);
    header.writeUInt16LE(8, 4);
    header.writeUInt16LE(33, 8);
    header.writeUInt32LE(zlib.crc32(data), 10);
    header.writeUInt32LE(packed.length, 14);
    header.writeUInt32LE(data.length, 18);
    header.writeUInt16LE(bytes.length, 22);
    parts.push(Buffer.from('PK\x03\x04'), header, bytes, packed);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), header, tail, bytes);
    offset += 30 + bytes.length + packed.length;
  }
  const listing = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(listing.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, listing, Buffer.from('PK\x05\x06'), end]);
}

function manifest({ name, publisher, version, displayName, description, engines, categories }) {
  const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
<Metadata>
<Identity Language="en-US" Id="${name}" Version="${version}" Publisher="${publisher}"/>
<DisplayName>${escape(displayName)}</DisplayName>
<Description xml:space="preserve">${escape(description)}</Description>
<Categories>${categories.join(',')}</Categories>
<Properties><Property Id="Microsoft.VisualStudio.Code.Engine" Value="${engines.vscode}"/></Properties>
</Metadata>
<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
<Dependencies/>
<Assets>
<Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
<Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
</Assets>
</PackageManifest>
`;
}

const TYPES = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension=".json" ContentType="application/json"/><Default Extension=".js" ContentType="application/javascript"/><Default Extension=".md" ContentType="text/markdown"/><Default Extension=".vsixmanifest" ContentType="text/xml"/></Types>
`;

/** @returns the size of the archive in bytes */
export async function buildVscode() {
  const described = JSON.parse(fs.readFileSync(path.join(source, 'package.json'), 'utf8'));
  const files = [
    ['extension.vsixmanifest', manifest(described)],
    ['[Content_Types].xml', TYPES],
    ['extension/package.json', JSON.stringify(described, null, 2)],
    ['extension/README.md', fs.readFileSync(path.join(source, 'README.md'))],
    ['extension/LICENSE.txt', fs.readFileSync(path.join(root, 'LICENSE'))],
    ...(await bundled()),
  ];
  const archive = zip(files);
  const out = path.join(root, 'dist', 'editors');
  fs.mkdirSync(out, { recursive: true });
  fs.writeFileSync(path.join(out, 'noetl-temporal.vsix'), archive);
  return archive.length;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(`${await buildVscode()} bytes`);
