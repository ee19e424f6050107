/**
 * The used parts of nunjucks: lexer and parser. Its compiler generates JavaScript from template text and is never
 * called, and its other half is not loaded: five modules instead of two dozen, in every process and in the workflow bundle.
 * They are subclassed, never patched, so other users of nunjucks in the process are not affected
 * (docs/design/expressions.md).
 */
import lexer from 'nunjucks/src/lexer';
import parser from 'nunjucks/src/parser';

export interface NunjucksToken {
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
  nextToken(): NunjucksToken | null;
  current(): string;
  forward(): void;
  forwardN(n: number): void;
  isFinished(): boolean;
  _matches(text: string): boolean | null;
}

interface Parser {
  readonly tokens: Tokenizer;
  breakOnBlocks: string[] | null;
  nextToken(withWhitespace?: boolean): NunjucksToken | null;
  peekToken(): NunjucksToken | null;
  pushToken(token: NunjucksToken | null): void;
  skip(type: string): boolean;
  skipValue(type: string, value: string): boolean;
  skipSymbol(value: string): boolean;
}

type Bracket = 'PAREN' | 'BRACKET' | 'CURLY';
type Punctuation = 'OPERATOR' | 'COMMA' | 'COLON' | 'TILDE' | 'PIPE' | `${'LEFT' | 'RIGHT'}_${Bracket}`;
type Word = 'STRING' | 'DATA' | 'INT' | 'FLOAT' | 'BOOLEAN' | 'NONE' | 'SYMBOL';
type Delimiter = `${'BLOCK' | 'VARIABLE'}_${'START' | 'END'}`;

type Lexer = { lex(source: string): Tokenizer } & {
  readonly [Name in Punctuation | Word | Delimiter as `TOKEN_${Name}`]: string;
};

export const tokenTypes: Lexer = lexer;

/** nunjucks does not export its tokenizer's constructor; it is taken from an instance. */
export const BaseTokenizer = tokenTypes.lex('').constructor as new (source: string) => Tokenizer;
export const BaseParser: new (tokens: Tokenizer) => Parser = parser.Parser;
