/** What commands ask of one execution, loaded together. */
import { answers } from './answers';
import { control } from './control';
import { explanations } from './explanation';
import { progress } from './progress';
import { workflowTask } from './workflow-task';

export const oneExecution = [progress, workflowTask, explanations, ...control, ...answers];
