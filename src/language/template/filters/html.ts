import { TemplateError } from '../errors';
import { defineBuiltin, type Builtins } from '../evaluate/signature';
import { dictArgument, integerArgument, textArgument } from '../values/arguments';
import { toText } from '../values/text';
import { truthy } from '../values/truth';
import { listedItems } from '../values/sequence';
import { resolve } from '../values/kinds';
import { urlize } from './urlize';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '>': '&gt;',
  '<': '&lt;',
  "'": '&#39;',
  '"': '&#34;',
};
const named: Readonly<Record<string, string>> = {
  amp: '&',
  gt: '>',
  lt: '<',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  reg: '®',
  euro: '€',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  laquo: '«',
  raquo: '»',
  times: '×',
  deg: '°',
};

/** Escapes the five special characters of HTML. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>'"]/g, (char) => entities[char]!);
}

const escaped = defineBuiltin('', (run, v) => {
  const text = escapeHtml(toText(v, run));
  run.produce(text.length);
  return text;
});

/** Filters for HTML. Text is plain text: there is no auto-escaping and no marking as safe. */
export const htmlFilters: Builtins = {
  escape: escaped,
  e: escaped,
  forceescape: escaped,
  striptags: defineBuiltin('', (run, v) => {
    const text = toText(v, run);
    run.charge(run.prices.strippedTagChar * text.length);
    return unescapeHtml(withoutTags(text).replace(/\s+/g, ' ').trim());
  }),
  xmlattr: defineBuiltin('autospace=', (run, v, ...args) => {
    const attributes = Object.entries(dictArgument(v, 'xmlattr'))
      .map(([key, value]) => [key, resolve(value)] as const)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([key, value]) => {
        if (/[\s/>=]/.test(key)) throw new TemplateError('wrongValue', `'${key}' is not an attribute name`);
        return `${escapeHtml(key)}="${escapeHtml(toText(value, run))}"`;
      });
    const text = attributes.join(' ');
    run.produce(text.length);
    return (args.length === 0 || truthy(args[0])) && text !== '' ? ` ${text}` : text;
  }),
  urlize: defineBuiltin(
    'trim_url_limit=, nofollow=, target=, rel=, extra_schemes=',
    (run, v, limit, nofollow, target, rel, schemes) => {
      const rels = new Set(
        textArgument(rel ?? undefined, 'rel', '')
          .split(/\s+/)
          .filter(Boolean),
      );
      if (truthy(nofollow)) rels.add('nofollow');
      rels.add('noopener');
      const text = toText(v, run);
      run.charge(run.prices.urlizedChar * text.length);
      const linked = urlize(escapeHtml(text), {
        limit: integerArgument(resolve(limit) ?? undefined, 'trim_url_limit', Infinity),
        rel: escapeHtml([...rels].sort().join(' ')),
        target: escapeHtml(textArgument(target ?? undefined, 'target', '')),
        schemes: listedItems(schemes ?? undefined, run, 'extra_schemes').map((scheme) => toText(scheme, run)),
      });
      run.produce(linked.length);
      return linked;
    },
  ),
};

/** Without comments and tags. */
function withoutTags(text: string): string {
  let rest = text;
  for (const [open, close] of [
    ['<!--', '-->'],
    ['<', '>'],
  ] as const) {
    const kept: string[] = [];
    let at = 0;
    for (let start = rest.indexOf(open); start >= 0; start = rest.indexOf(open, at)) {
      const end = rest.indexOf(close, start);
      if (end < 0) break;
      kept.push(rest.slice(at, start));
      at = end + close.length;
    }
    rest = kept.join('') + rest.slice(at);
  }
  return rest;
}

function unescapeHtml(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(\w{2,8}));/g,
    (whole, decimal, hex, name: string) => {
      if (name !== undefined) return Object.hasOwn(named, name) ? named[name]! : whole;
      const point = decimal === undefined ? parseInt(String(hex), 16) : Number(decimal);
      return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    },
  );
}
