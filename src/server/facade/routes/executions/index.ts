/** `/api/executions`: lists, inspects and controls executions. */
import { answers } from './answers';
import { analysis } from './analysis';
import { cleanup } from './cleanup';
import { control } from './control';
import { detail } from './detail';
import { explanations } from './explanation';
import { graph } from './graph';
import { history } from './history';
import { listRoutes } from './list';
import { logs } from './logs';
import { momentRoutes } from './moment';
import { progress } from './progress';
import { workflowTask } from './workflow-task';
import { status } from './status';
import { summaryRoutes } from './summary';
import { type RouteResource } from '../declare';

export const executions: readonly RouteResource[] = [
  listRoutes,
  detail,
  status,
  summaryRoutes,
  progress,
  workflowTask,
  control,
  answers,
  cleanup,
  graph,
  analysis,
  explanations,
  history,
  logs,
  momentRoutes,
];
