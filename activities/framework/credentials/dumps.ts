/**
 * Encodings of whole runs of bytes, as programs print them: lists of numbers, dumps with columns (xxd, hexdump, od),
 * encoded words of mail, `cat -v`, filters of LDAP. Each is decoded to the text that it stands for.
 */

/** What a run is replaced by before a secret is searched for. */
export interface Decoding {
  /** Without it, a text has none. */
  readonly only: RegExp;
  readonly pattern: RegExp;
  readonly decode: (run: string) => string;
}

/** UTF-8, otherwise Latin-1: as Python writes characters and bytes. */
export function ofBytes(bytes: Uint8Array | readonly number[]): string {
  const buffer = Buffer.from(bytes);
  const text = buffer.toString('utf8');
  return text.includes('\ufffd') ? buffer.toString('latin1') : text;
}

/** `[82, 100, 55, …]`, by Node and Python; also in columns. */
const LIST: Decoding = {
  only: /\d[,\s]+\d+[,\s]+\d+[,\s]+\d+[,\s]+\d/,
  pattern: /(?<![\d.])\d{1,3}(?:[,\s]+\d{1,3}){5,}(?![\d.])/g,
  decode: (run) => {
    const bytes = run.split(/[,\s]+/).map(Number);
    return bytes.every((byte) => byte < 256) ? ofBytes(bytes) : run;
  },
};

/** `=?UTF-8?B?…?=`: each word of a text is encoded by itself. */
const B_WORDS: Decoding = {
  only: /=\?[\w-]+\?B\?/i,
  pattern: /=\?[\w-]+\?B\?[A-Za-z0-9+/=]*\?=\s*/gi,
  decode: (run) => Buffer.from(run.split('?')[3] ?? '', 'base64').toString('utf8'),
};

const Q_WORDS: Decoding = {
  only: /=\?[\w-]+\?Q\?/i,
  pattern: /(?:=\?[\w-]+\?Q\?[^?\s]*\?=\s*)+/gi,
  decode: (run) => {
    const words = run.trim().split(/\?=\s*/);
    const text = words.map((word) => word.replace(/^=\?[\w-]+\?Q\?/i, '').replaceAll('_', ' ')).join('');
    const latin = text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => byte(hex, 16));
    return ofBytes(Buffer.from(latin, 'latin1'));
  },
};

/** `M-CM-<`, `^M`: bytes beyond ASCII and control characters. */
const CAT: Decoding = {
  only: /M-|\^[@-_?]/,
  pattern: /(?:M-\^[@-_?]|M-[ -~]|\^[@-_?])+/g,
  decode: (run) => {
    const bytes = [...run.matchAll(/(M-)?(\^)?([ -~])/g)].map(([, high, control, sign]) => {
      const code = sign!.charCodeAt(0);
      return (control === undefined ? code : code ^ 0x40) | (high === undefined ? 0 : 0x80);
    });
    return ofBytes(bytes);
  },
};

const LDAP: Decoding = {
  only: /\\[0-9a-fA-F]{2}/,
  pattern: /(?:\\[0-9a-fA-F]{2})+/g,
  decode: (run) =>
    ofBytes(
      run
        .slice(1)
        .split('\\')
        .map((hex) => Number.parseInt(hex, 16)),
    ),
};

const DUMP = /(?:^[ \t]*[0-9a-fA-F]{6,16}:?[ \t]+\S.*(?:\r?\n|$))+/gm;
const HAS_DUMP = /^[ \t]*[0-9a-fA-F]{6,16}:?[ \t]+\S/m;
/** The characters, which some programs print behind the bytes. */
const CHARACTERS =
  /[ \t]{2,}(?:\|.*\||>.*<)[ \t]*$|(?<=[0-9a-fA-F]{2})[ \t]{2,}(?![0-9a-fA-F]{2}(?:[ \t]|$)).*$/;

/**
 * A dump with offsets. What is ambiguous is read in both ways: pairs of bytes in the order of the text (xxd) or turned
 * round (hexdump, od), numbers of three digits as octal or decimal.
 */
function dump(isTurned: boolean): Decoding {
  return {
    only: HAS_DUMP,
    pattern: DUMP,
    decode: (block) => {
      const lines = block.split('\n').map((line) => line.trim().replace(/^[0-9a-fA-F]+:?[ \t]+/, ''));
      const fieldsOf = (line: string): string[] => line.split(/[ \t]+/).filter(Boolean);
      const bytes =
        bytesOf(lines.flatMap(fieldsOf), isTurned) ??
        bytesOf(
          lines.flatMap((line) => fieldsOf(line.replace(CHARACTERS, ''))),
          isTurned,
        );
      return bytes ? ofBytes(bytes) : block;
    },
  };
}

type Reader = readonly [field: RegExp, read: (field: string) => readonly number[]];

const octal = (field: string): number[] => [Number.parseInt(field, 8)];
const decimal = (field: string): number[] => [Number(field) & 0xff];

function bytesOf(fields: readonly string[], isTurned: boolean): number[] | undefined {
  const readers: readonly Reader[] = [
    [/^[0-9a-f]{2}$/i, (field) => [Number.parseInt(field, 16)]],
    [/^(?:[0-9a-f]{2}){1,2}$/i, (field) => pair(field, isTurned)],
    [/^[01][0-7]{5}$/, (field) => pair(Number.parseInt(field, 8).toString(16).padStart(4, '0'), true)],
    [isTurned ? /^\d{1,3}$/ : /^[0-3][0-7]{2}$/, isTurned ? decimal : octal],
    [/^\d{1,3}$/, decimal],
    [/^(?:\\?[!-~]|[0-3][0-7]{2})$/, (field) => (field.length === 3 ? octal(field) : [codeOf(field)])],
  ];
  const reader = readers.find(([shape]) => fields.every((field) => shape.test(field)));
  return reader && fields.flatMap(reader[1]);
}

/** One or two bytes. */
function pair(hex: string, isTurned: boolean): number[] {
  const bytes = [...Buffer.from(hex, 'hex')];
  return isTurned ? bytes.reverse() : bytes;
}

/** A character as `od -c` prints it; blanks and line breaks do not matter. */
function codeOf(field: string): number {
  return field.length === 2 ? 0x20 : field.charCodeAt(0);
}

function byte(digits: string, base: number): string {
  return String.fromCharCode(Number.parseInt(digits, base));
}

export const DECODINGS: readonly Decoding[] = [LIST, B_WORDS, Q_WORDS, CAT, LDAP, dump(false), dump(true)];

/** Separators of thousands. */
export const GROUPED = /(?<=\d)[,_'\u00a0\u202f](?=\d)/g;
