/**
 * The used parts of nunjucks: lexer and parser. Its compiler generates JavaScript from template text and is never
 * called. @types/nunjucks does not declare these parts, so they are declared here. They are subclassed, never
 * patched, so other users of nunjucks in the process are not affected (docs/design/expressions.md).
 */
import nunjucks from 'nunjucks';

export interface Token {
  readonly type: string;
  readonly value: string;
  readonly lineno: number;
  /** Our lexer counts offsets instead of lines and columns: this is the token's offset. */
  readonly colno: number;
}

interface Tokenizer {
  readonly str: string;
  index: number;
  readonly len: number;
  lineno: number;
  colno: number;
  in_code: boolean;
  readonly tags: { readonly VARIABLE_END: string };
  nextToken(): Token | null;
  current(): string;
  forward(): void;
  forwardN(n: number): void;
  isFinished(): boolean;
  _matches(text: string): boolean | null;
}

interface Parser {
  readonly tokens: Tokenizer;
  breakOnBlocks: string[] | null;
  nextToken(withWhitespace?: boolean): Token | null;
  peekToken(): Token | null;
  pushToken(token: Token | null): void;
  skip(type: string): boolean;
  skipValue(type: string, value: string): boolean;
  skipSymbol(value: string): boolean;
}

interface Internals {
  readonly lexer: {
    lex(source: string): Tokenizer;
    readonly TOKEN_STRING: string;
    readonly TOKEN_DATA: string;
    readonly TOKEN_BLOCK_START: string;
    readonly TOKEN_BLOCK_END: string;
    readonly TOKEN_VARIABLE_START: string;
    readonly TOKEN_VARIABLE_END: string;
    readonly TOKEN_LEFT_PAREN: string;
    readonly TOKEN_RIGHT_PAREN: string;
    readonly TOKEN_LEFT_BRACKET: string;
    readonly TOKEN_RIGHT_BRACKET: string;
    readonly TOKEN_LEFT_CURLY: string;
    readonly TOKEN_RIGHT_CURLY: string;
    readonly TOKEN_OPERATOR: string;
    readonly TOKEN_COMMA: string;
    readonly TOKEN_COLON: string;
    readonly TOKEN_TILDE: string;
    readonly TOKEN_PIPE: string;
    readonly TOKEN_INT: string;
    readonly TOKEN_FLOAT: string;
    readonly TOKEN_BOOLEAN: string;
    readonly TOKEN_NONE: string;
    readonly TOKEN_SYMBOL: string;
  };
  readonly parser: { readonly Parser: new (tokens: Tokenizer) => Parser };
}

const internals = nunjucks as unknown as Internals;

export const tokenTypes = internals.lexer;

/** nunjucks does not export its tokenizer's constructor; it is taken from an instance. */
export const BaseTokenizer = internals.lexer.lex('').constructor as new (source: string) => Tokenizer;
export const BaseParser = internals.parser.Parser;
