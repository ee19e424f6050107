/** The worker of the editor. */
import { answerAsks } from './answering';
import { compilerAnswers } from './answers';

answerAsks(compilerAnswers);
