// Links of pages: where they lead in a folder of files, be it the repository, the unpacked tarball or the built site.
const fs = require('node:fs');
const path = require('node:path');

/** The anchor that GitHub makes of a heading. */
function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

const withoutCode = (markdown) => markdown.replaceAll(/^```[^]*?^```|`[^`\n]*`/gm, '');
/** `](target)` without a scheme and not from the root of a server. */
const LINK = /\]\((?!\w+:|\/)([^)\s]+)\)/g;
const HTML_LINK = /(?:href|src)="(?!\w+:|\/\/)([^"]+)"/g;
const decoded = (link) => decodeURI(link.replaceAll('&amp;', '&'));

/** The files, and the anchors of pages, of a folder. */
class Pages {
  constructor(folder, files) {
    this.folder = folder;
    this.files = new Set(files);
    this.anchors = new Map();
  }

  text(page) {
    return fs.readFileSync(path.join(this.folder, page), 'utf8');
  }

  anchorsOf(page) {
    const known = this.anchors.get(page);
    if (known) return known;
    const text = this.text(page);
    const named = [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    const headings = page.endsWith('.md')
      ? text.replaceAll(/^```[^]*?^```/gm, '').matchAll(/^#+ +(.+)$/gm)
      : [];
    const made = [...named, ...[...headings].map(([, heading]) => anchorOf(heading.trim()))];
    this.anchors.set(page, new Set(made));
    return this.anchors.get(page);
  }

  isFolder(place) {
    return [...this.files].some((file) => file.startsWith(`${place.replace(/\/$/, '')}/`)) || place === '.';
  }

  /** Why a target leads nowhere; undefined for one that leads somewhere. */
  deadEnd(target) {
    const [written, anchor] = target.split('#');
    const index = path.posix.join(written, 'index.html');
    const page = this.files.has(index) ? index : written;
    if (!this.files.has(page)) return this.isFolder(page) ? undefined : `there is no ${page}`;
    const isPage = /\.(md|html)$/.test(page);
    if (!anchor || !isPage || this.anchorsOf(page).has(decodeURIComponent(anchor))) return undefined;
    return `${page} has no heading #${anchor}`;
  }
}

const resolvedFrom = (page, link) => {
  if (link.startsWith('#')) return page + link;
  const base = link.startsWith('/') ? '' : path.posix.dirname(page);
  return path.posix.normalize(path.posix.join(base, link.replace(/^\//, '').replace(/\?[^#]*/, '') || '.'));
};

/**
 * @param files paths of all files below the folder
 * @param read the pages among them whose links are followed
 * @returns `PAGE: why` for each link that leads nowhere
 */
function deadEnds(folder, files, read = files.filter((file) => /\.(md|html)$/.test(file))) {
  const pages = new Pages(folder, files);
  return read.flatMap((page) => {
    const text = pages.text(page);
    const links = page.endsWith('.md') ? withoutCode(text).matchAll(LINK) : text.matchAll(HTML_LINK);
    const targets = [...links].map(([, link]) => resolvedFrom(page, decoded(link)));
    return targets.flatMap((target) => {
      const why = pages.deadEnd(target);
      return why === undefined ? [] : [`${page}: ${why}`];
    });
  });
}

/**
 * A page of a package, in which links to what the package does not have lead to the repository.
 *
 * @param files of the package
 * @param source address of the repository's files
 */
function outward(page, text, files, source) {
  const pages = new Pages('', files);
  return text.replaceAll(LINK, (whole, link) => {
    const [target, anchor] = resolvedFrom(page, decoded(link)).split('#');
    if (files.has(target) || pages.isFolder(target)) return whole;
    return `](${source}/${target}${anchor ? `#${anchor}` : ''})`;
  });
}

module.exports = { deadEnds, outward, Pages };
