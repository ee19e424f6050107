/** Tells the watch of the templates the host's time, which replay does not see: it can only fail a workflow task. */
import { type WorkflowInterceptors, workflowInfo } from '@temporalio/workflow';
import { hostWatch } from '../src/language/template/runtime';

export function interceptors(): WorkflowInterceptors {
  return {
    internals: [
      {
        activate(input, next) {
          hostWatch.use(() => workflowInfo().unsafe.now());
          hostWatch.begin();
          next(input);
        },
      },
    ],
  };
}
