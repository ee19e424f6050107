/** Attributes of links, already escaped. */
interface LinkOptions {
  readonly limit: number;
  readonly rel: string;
  readonly target: string;
  readonly schemes: readonly string[];
}

const web =
  /^(?:(?:https?:\/\/|www\.)(?:[\w%-]+\.)*(?:[a-z]{2,63}|xn--[\w%]{2,59})|(?:[\w%-]{2,63}\.)+(?:com|net|int|edu|gov|org|info|mil)|https?:\/\/(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:]{2,45}\]))(?::\d{1,5})?(?:[/?#]\S*)?$/i;
const email = /^[^\s@]+@\w[\w.-]*\.\w+$/;
const brackets = [
  ['(', ')'],
  ['<', '>'],
  ['&lt;', '&gt;'],
] as const;

/** Turns addresses in escaped text into links, as Jinja2's `urlize` does. */
export function urlize(escaped: string, options: LinkOptions): string {
  return escaped
    .split(/(\s+)/)
    .map((word) => (word.trim() === '' ? word : linkWord(word, options)))
    .join('');
}

function linkWord(word: string, options: LinkOptions): string {
  const head = /^(?:[(<]|&lt;)+/.exec(word)?.[0] ?? '';
  const tail = word.slice(tailOf(word, head.length));
  const [middle, rest] = balanced(word.slice(head.length, word.length - tail.length), tail);
  return head + link(middle, options) + rest;
}

/** Where the punctuation at the end of a word begins. */
function tailOf(word: string, from: number): number {
  let at = word.length;
  while (at > from) {
    if (')>.,\n'.includes(word[at - 1]!)) at--;
    else if (at - from >= 4 && word.startsWith('&gt;', at - 4)) at -= 4;
    else break;
  }
  return at;
}

/** Closing brackets at the end belong to the address if it has as many opening ones. */
function balanced(address: string, after: string): [string, string] {
  let [middle, tail] = [address, after];
  for (const [open, close] of brackets) {
    let missing =
      count(middle, open) <= count(middle, close) ? 0 : Math.min(count(middle, open), count(tail, close));
    for (; missing > 0; missing--) {
      const end = tail.indexOf(close) + close.length;
      middle += tail.slice(0, end);
      tail = tail.slice(end);
    }
  }
  return [middle, tail];
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

function link(address: string, { limit, rel, target, schemes }: LinkOptions): string {
  const extras = (rel && ` rel="${rel}"`) + (target && ` target="${target}"`);
  const shown = address.length > limit ? `${address.slice(0, limit)}...` : address;
  if (address.length <= 2048 && web.test(address)) {
    const href = /^https?:\/\//.test(address) ? address : `https://${address}`;
    return `<a href="${href}"${extras}>${shown}</a>`;
  }
  if (address.startsWith('mailto:') && email.test(address.slice(7))) {
    return `<a href="${address}">${address.slice(7)}</a>`;
  }
  if (
    !address.startsWith('www.') &&
    !address.startsWith('@') &&
    !address.includes(':') &&
    email.test(address)
  ) {
    return `<a href="mailto:${address}">${address}</a>`;
  }
  const scheme = schemes.find((prefix) => address !== prefix && address.startsWith(prefix));
  return scheme === undefined ? address : `<a href="${address}"${extras}>${address}</a>`;
}
