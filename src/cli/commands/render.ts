import { Command } from 'commander';

export function renderCommand(): Command {
  return new Command('render')
    .description('evaluate a template and print {"value"}, {"text"} or {"error"}')
    .argument('[template]', 'the template, as written in a playbook')
    .option('--context <json>', 'the names it can use: a JSON object, or @FILE')
    .option('--jsonl', 'answer lines of {"template", "context"} from stdin, one line each')
    .action(async (template: string | undefined, flags: { context?: string; jsonl?: boolean }) => {
      const { renderTemplates } = await import('../offline/render.js');
      await renderTemplates(template, flags);
    });
}
