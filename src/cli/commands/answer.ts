import { Command } from 'commander';
import { withPlace } from '../input/options';
import { type AnswerFlags } from '../runtime/answer';

/** `answer EXECUTION [FIELD=VALUE…]`: what an execution asks of people, and the answer to it. */
export function answerCommand(): Command {
  const command = new Command('answer')
    .description('show what an execution asks of people (without fields), or answer it')
    .argument('<execution>', 'an execution id')
    .argument('[fields...]', 'fields of the form, as FIELD=VALUE')
    .option('--reject [reason]', 'reject what it asks')
    .option('--link', 'print a link under which somebody without a token answers, once; needs a facade')
    .option('--step <step>', 'the question of this step, if there are several')
    .option('--task-run <id>', 'the question of this task run, if there are several');
  return withPlace(command).action(async (execution: string, fields: string[], flags: AnswerFlags) => {
    const { answerHere } = await import('../runtime/answer.js');
    await answerHere(execution, fields, flags);
  });
}
