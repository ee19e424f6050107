/** The extension: the language server's client, the graph, rehearsals, and runs in a terminal. */
import * as vscode from 'vscode';
import { languageClient } from './client';
import { GraphView } from './graph';
import { Rehearsals } from './rehearsals';

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const client = languageClient(context);
  await client.start();
  const graph = new GraphView(client);
  const rehearsals = new Rehearsals(client);
  const command = (name: string, act: (uri: vscode.Uri) => Promise<void>): vscode.Disposable =>
    vscode.commands.registerCommand(name, async (given?: string | vscode.Uri) => {
      const uri =
        typeof given === 'string'
          ? vscode.Uri.parse(given)
          : (given ?? vscode.window.activeTextEditor?.document.uri);
      if (uri) await act(uri);
    });
  context.subscriptions.push(
    client,
    graph,
    rehearsals,
    command('noetl.graph', async (uri) => await graph.show(uri)),
    command('noetl.rehearse', async (uri) => await rehearsals.show(uri)),
    command('noetl.run', runInTerminal),
  );
  await rehearsals.discover();
}

/** A run tells its steps line by line: the terminal beside the text shows them, and a click on a place goes there. */
async function runInTerminal(uri: vscode.Uri): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  await document.save();
  const [program = 'npx', ...args] =
    vscode.workspace.getConfiguration('noetl').get<string[]>('command') ?? [];
  const cwd = vscode.workspace.getWorkspaceFolder(uri)?.uri;
  const task = new vscode.Task(
    { type: 'process' },
    vscode.TaskScope.Workspace,
    `run ${vscode.workspace.asRelativePath(uri)}`,
    'noetl',
    new vscode.ProcessExecution(program, [...args, 'run', uri.fsPath], cwd ? { cwd: cwd.fsPath } : {}),
  );
  task.presentationOptions = { panel: vscode.TaskPanelKind.Dedicated, clear: true };
  await vscode.tasks.executeTask(task);
}
