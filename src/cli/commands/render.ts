import { Command } from 'commander';
import { later } from '../input/later';

export function renderCommand(): Command {
  return new Command('render')
    .description('evaluate a template and print {"value"}, {"text"} or {"error"}')
    .argument('[template]', 'the template, as written in a playbook')
    .option('--context <json>', 'the names it can use: a JSON object, or @FILE')
    .option('--jsonl', 'answer lines of {"template", "context"} from stdin, one line each')
    .action(later(async () => (await import('../offline/render.js')).renderTemplates));
}
