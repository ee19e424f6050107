/** The worker of the playground: the editor's, and what proves. */
import { answerAsks } from '../compiling/answering';
import { compilerAnswers } from '../compiling/answers';
import { proverAnswers } from './proving';

answerAsks({ ...compilerAnswers, ...proverAnswers });
