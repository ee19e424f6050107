/** `/api/executions`: which there are, what they do and did, and how to steer them. */
import { type Route } from '../../http/route';
import { type FacadeServices } from '../../services';
import { analysis } from './analysis';
import { cleanup } from './cleanup';
import { control } from './control';
import { detail } from './detail';
import { graph } from './graph';
import { list } from './list';
import { status } from './status';

export function executions(services: FacadeServices): readonly Route[] {
  return [list, detail, status, control, cleanup, graph, analysis].flatMap((resource) => resource(services));
}
