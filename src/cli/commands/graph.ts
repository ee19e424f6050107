import { Command } from 'commander';
import { later } from '../input/later';

export function graphCommand(): Command {
  return new Command('graph')
    .description('draw the steps of a playbook and the arcs between them')
    .argument('<playbook>', 'a file, or the metadata.path of a playbook below this folder')
    .option('--format <format>', 'mermaid, svg, json', 'mermaid')
    .option('--coverage <file>', 'mark what `coverage --json` reports as never touched')
    .action(later(async () => (await import('../offline/graph.js')).drawGraph));
}
