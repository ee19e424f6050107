/** The client of the language server, and our own requests to it. */
import path from 'node:path';
import { type ExtensionContext, workspace } from 'vscode';
import { LanguageClient, TransportKind } from 'vscode-languageclient/node';
import { type GraphAnswer } from '../../../src/cli/lsp/server';
import { type RehearsedText } from '../../../src/service';

export function languageClient(context: ExtensionContext): LanguageClient {
  const module = context.asAbsolutePath(path.join('out', 'server.js'));
  const settings = workspace.getConfiguration('noetl');
  const server = settings.get<string>('server');
  const options = server ? { env: { ...process.env, NOETL_FACADE_URL: server } } : {};
  const command = settings.get<string[]>('command');
  return new LanguageClient(
    'noetl',
    'NoETL',
    { module, transport: TransportKind.stdio, options },
    { documentSelector: [{ language: 'yaml' }], initializationOptions: { command } },
  );
}

/** Null where the playbook has errors. */
export async function graphOfText(client: LanguageClient, uri: string): Promise<GraphAnswer | null> {
  return await client.sendRequest('noetl/graph', { uri });
}

export async function rehearse(client: LanguageClient, uri: string, text: string): Promise<RehearsedText> {
  return await client.sendRequest('noetl/rehearse', { uri, text });
}
