// Parts of nunjucks that no package declares: nunjucks.ts says what of them is used.
declare module 'nunjucks/src/lexer';
declare module 'nunjucks/src/parser';
