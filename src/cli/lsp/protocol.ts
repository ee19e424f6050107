/** What is used of `vscode-languageserver`; the build puts the library into this file, so that an installation needs no other. */
export {
  CompletionItemKind,
  CompletionItemTag,
  createConnection,
  DiagnosticSeverity,
  MarkupKind,
  ResponseError,
  SemanticTokensBuilder,
  SymbolKind,
  TextDocuments,
  TextDocumentSyncKind,
} from 'vscode-languageserver/node';
export { TextDocument } from 'vscode-languageserver-textdocument';
