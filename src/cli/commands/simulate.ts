import { Command } from 'commander';
import { later } from '../input/later';
import { wholeNumber } from '../input/number';
import { jsonOption } from '../input/options';

/** `simulate FILE --seeds N --faults FILE`: many runs with mocked tools that fail at random. */
export function simulateCommand(): Command {
  return new Command('simulate')
    .description(
      'run a playbook many times with mocked tools, random faults and invariants; nothing is executed',
    )
    .argument('<playbook>', 'a file, or the metadata.path of a playbook below this folder')
    .option('--seeds <n>', 'number of runs (default: 1000, with --seed: 1)', (text) =>
      wholeNumber(text, '--seeds', 1),
    )
    .option('--seed <k>', 'the seed of the first run; the others follow it (default: 1)', (text) =>
      wholeNumber(text, '--seed', 0),
    )
    .option('--faults <file>', 'what goes wrong, and what must hold nevertheless')
    .option('--to-rehearsal <file>', 'write the first fault, shrunk, as a rehearsal')
    .addOption(jsonOption())
    .action(later(async () => (await import('../runtime/simulate-playbook.js')).simulatePlaybook));
}
