/** The site: the pages of docs as they are, in the order of docs/README.md. */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { buildPlayground } from '../playground.mjs';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const DOCS = path.join(ROOT, 'docs');
const { version, repository } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
const SOURCE = repository.url.replace(/^git\+|\.git$/g, '');
const BASE = process.env.SITE_BASE ?? '/';
const require = createRequire(import.meta.url);

/** The lists of docs/README.md: a group for each, its links in order. */
function sidebar() {
  const text = fs.readFileSync(path.join(DOCS, 'README.md'), 'utf8');
  return text
    .split(/^(?=\w[^\n]*:$)/m)
    .slice(1)
    .map((group) => ({
      text: group.slice(0, group.indexOf(':')),
      items: [...group.matchAll(/\[([^\]]+)\]\(([\w/-]+(?:\.md)?)\)/g)]
        .filter(([, , link]) => fs.existsSync(path.join(DOCS, link)))
        .map(([, name, link]) => ({ text: titleOf(name), link: `/${pageOf(link)}` })),
    }));
}

const titleOf = (name) => name.replaceAll('`', '').replace(/^./, (first) => first.toUpperCase());

const pageOf = (link) =>
  (link.endsWith('.md') ? link : `${link}/`).replace(/README\.md$/, '').replace(/\.md$/, '');

/** As GitHub makes it, so that a link to a heading holds here and there. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** What lies outside of docs, and what is no page, is read where the source is. */
function linkOutside(md) {
  const usual =
    md.renderer.rules.link_open ??
    ((tokens, index, options, env, self) => self.renderToken(tokens, index, options));
  md.renderer.rules.link_open = (tokens, index, options, env, self) => {
    const href = tokens[index].attrGet('href');
    if (/^[a-z]+:|^#/.test(href)) return usual(tokens, index, options, env, self);
    const [file, anchor] = href.split('#');
    const target = path.resolve(path.dirname(path.join(DOCS, env.relativePath)), decodeURI(file));
    if (target === path.join(ROOT, 'console', 'playground')) {
      // No page of the site's own program: the browser goes there.
      tokens[index].attrSet('href', `${BASE}playground/`);
      tokens[index].attrSet('target', '_self');
      return self.renderToken(tokens, index, options);
    }
    const isReadme = path.basename(target) === 'README.md';
    const folder = isReadme ? path.dirname(target) : target;
    if (target.startsWith(DOCS) && fs.existsSync(path.join(folder, 'README.md'))) {
      const name = path.relative(DOCS, folder);
      tokens[index].attrSet('href', `/${name ? `${name}/` : ''}${anchor ? `#${anchor}` : ''}`);
      return usual(tokens, index, options, env, self);
    }
    const isPage = target.startsWith(DOCS) && (target.endsWith('.md') || target.endsWith('.html'));
    if (isPage) return usual(tokens, index, options, env, self);
    const kind = fs.statSync(target, { throwIfNoEntry: false })?.isDirectory() ? 'tree' : 'blob';
    tokens[index].attrSet(
      'href',
      `${SOURCE}/${kind}/main/${path.relative(ROOT, target)}${anchor ? `#${anchor}` : ''}`,
    );
    return self.renderToken(tokens, index, options);
  };
}

/** Templates stand in code: Vue must not take them for its own. */
function keepTemplates(md) {
  const usual = md.renderer.rules.code_inline;
  md.renderer.rules.code_inline = (...args) => usual(...args).replace('<code', '<code v-pre');
}

/** Pages lie above the folder of the site's packages, and would not find what renders them. */
const oneVue = {
  name: 'one-vue',
  enforce: 'pre',
  resolveId(id, _importer, { ssr }) {
    if (id !== 'vue' && id !== 'vue/server-renderer') return undefined;
    if (ssr) return { id, external: true };
    return path.join(path.dirname(require.resolve('vue/package.json')), 'dist/vue.runtime.esm-bundler.js');
  },
};

export default defineConfig({
  title: 'noetl-temporal',
  description: 'The durable runtime for NoETL playbooks, on Temporal',
  base: BASE,
  head: [['link', { rel: 'icon', href: `${BASE}icon.svg` }]],
  srcDir: '../../docs',
  outDir: path.join(ROOT, 'dist', '.site'),
  cleanUrls: false,
  lastUpdated: false,
  ignoreDeadLinks: 'localhostLinks',
  rewrites: (id) => id.replace(/(^|\/)README\.md$/, '$1index.md'),
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: anchorOf },

    config(md) {
      keepTemplates(md);
      linkOutside(md);
    },
  },
  vite: {
    publicDir: false,
    plugins: [oneVue],
  },
  themeConfig: {
    nav: [
      { text: 'Playground', link: '/playground/', target: '_self' },
      { text: version, link: `${SOURCE}/blob/main/CHANGELOG.md` },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: 'local' },
    editLink: { pattern: `${SOURCE}/edit/main/docs/:path`, text: 'Edit this page' },
    socialLinks: [{ icon: 'github', link: SOURCE }],
  },
  async buildEnd({ outDir }) {
    fs.copyFileSync(path.join(DOCS, 'llms.txt'), path.join(outDir, 'llms.txt'));
    fs.copyFileSync(path.join(ROOT, 'console', 'icon.svg'), path.join(outDir, 'icon.svg'));
    await buildPlayground(path.join(outDir, 'playground'));
  },
});
