/** What the language server can do. */
import type { InitializeResult } from 'vscode-languageserver';
import { TOKEN_TYPES } from '../../service';
import { packageVersion } from '../output/version';
import { TextDocumentSyncKind } from './protocol';

/** A command: writes a rehearsal of an execution of a playbook. */
export const KEEP_RUN = 'noetl.keepRun';

export const CAPABILITIES: InitializeResult = {
  capabilities: {
    textDocumentSync: TextDocumentSyncKind.Incremental,
    completionProvider: { triggerCharacters: ['.', ' ', '{', '|', ':', '-', '"', "'", '\n'] },
    hoverProvider: true,
    signatureHelpProvider: { triggerCharacters: ['(', ','] },
    definitionProvider: true,
    referencesProvider: true,
    renameProvider: { prepareProvider: true },
    documentSymbolProvider: true,
    foldingRangeProvider: true,
    selectionRangeProvider: true,
    semanticTokensProvider: { legend: { tokenTypes: [...TOKEN_TYPES], tokenModifiers: [] }, full: true },
    documentFormattingProvider: true,
    codeLensProvider: {},
    executeCommandProvider: { commands: [KEEP_RUN] },
    codeActionProvider: { codeActionKinds: ['quickfix', 'refactor'] },
  },
  serverInfo: { name: 'noetl-temporal', version: packageVersion() },
};
