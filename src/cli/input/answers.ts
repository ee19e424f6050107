/** Answers for calls that a recording cannot answer, or that should be answered otherwise, as the command line names them. */
import { hasCode } from '../../language/errors';
import { type Plan } from '../../language/plan';
import { type Supplied } from '../../offline/proof';
import { suppliedAnswers } from '../../service/assistant/answers';
import { UsageError } from '../errors';
import { extensions } from '../extensions';
import { readText } from './playbook';

/**
 * @param outcomes `STEP[/TASK][#RUN][[ITERATION]]=ANSWER`, each; ANSWER may be `recorded`
 * @param file a mapping from tasks to answers
 * @throws UsageError for a task that the playbook does not have, or an answer that its kind cannot give
 */
export function suppliedBy(outcomes: readonly string[], file: string | undefined, plan: Plan): Supplied {
  const answers = file === undefined ? {} : { answers: { text: readText(file), file } };
  try {
    return suppliedAnswers({ outcomes, ...answers, plan, kinds: extensions().kinds });
  } catch (error) {
    throw hasCode(error, 'ANSWERS_INVALID') ? new UsageError(error.message) : error;
  }
}
