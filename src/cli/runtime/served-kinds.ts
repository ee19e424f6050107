/** What workers of this process can serve. */
import { toolKinds } from '../../../activities/registry';
import { LOCAL_KIND } from '../../language/plan';
import { extensions } from '../extensions';

/** Tool kinds, loops with `exec: local`, and kinds of extension modules. */
export function servedKinds(): string[] {
  return [...toolKinds, LOCAL_KIND, ...extensions().tools.map(({ kind }) => kind)];
}
