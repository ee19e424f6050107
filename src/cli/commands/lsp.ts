import { Command } from 'commander';
import { later } from '../input/later';
import { serverOption } from '../input/options';

export function lspCommand(): Command {
  return new Command('lsp')
    .description('serve an editor: the Language Server Protocol on standard input and output')
    .option('--stdio', 'the only way there is: editors that name one may')
    .addOption(serverOption())
    .action(later(async () => (await import('../lsp/server.js')).serveEditor));
}
