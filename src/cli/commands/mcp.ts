import { Command } from 'commander';
import { later } from '../input/later';
import { atServerOption, dataOption, sandboxOption, storageOption } from '../input/options';

/** `mcp`: tools for assistants, over standard input and output. */
export function mcpCommand(): Command {
  return new Command('mcp')
    .description('serve tools to an assistant over the Model Context Protocol, on standard input and output')
    .option('--read-only', 'only tools that change nothing')
    .addOption(sandboxOption())
    .addOption(dataOption())
    .addOption(storageOption())
    .addOption(atServerOption())
    .action(later(async () => (await import('../runtime/assistant/serve.js')).serveAssistant));
}
