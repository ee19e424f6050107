// Where addresses of the pages lead: a release's to its tag, those of a tree in between to the branch. Read from the changelog, so that
// it is known where there is no git: in the build of an image, in an unpacked archive.
import fs from 'node:fs';
import path from 'node:path';

const ADDRESS = /(?<=\/blob\/)[^/]+(?=\/docs')/;

/** The tree of a release has nothing unreleased above the section of its version. */
export function docsRef(root) {
  const read = (name) => fs.readFileSync(path.join(root, name), 'utf8');
  const { version } = JSON.parse(read('package.json'));
  const [, latest] = /^## \[Unreleased\]\s+^## \[(.+?)\]/m.exec(read('CHANGELOG.md')) ?? [];
  return latest === version ? `v${version}` : 'main';
}

/** `src/language/errors/docs.ts`, as it is written or compiled, with the addresses of a tree. */
export function withRef(code, ref) {
  if (!ADDRESS.test(code)) throw new Error('language/errors/docs has no address of the pages');
  return code.replace(ADDRESS, ref);
}

/** For esbuild: what is bundled from sources. */
export const linkedTo = (ref) => ({
  name: 'docs-ref',
  setup(build) {
    build.onLoad({ filter: /[/\\]language[/\\]errors[/\\]docs\.ts$/ }, ({ path: file }) => ({
      contents: withRef(fs.readFileSync(file, 'utf8'), ref),
      loader: 'ts',
    }));
  },
});
