/** The host's clock runs a thousand times as fast for executions of `test/slow`: their templates take too long on any machine. */
import { type WorkflowInterceptors, workflowInfo } from '@temporalio/workflow';

const FASTER = 1000;
const hurried = new WeakSet<object>();

export function interceptors(): WorkflowInterceptors {
  return {
    internals: [
      {
        activate(input, next) {
          const { workflowType, unsafe } = workflowInfo();
          if (workflowType === 'test/slow' && !hurried.has(unsafe)) {
            const { now } = unsafe;
            Object.assign(unsafe, { now: () => now() * FASTER });
            hurried.add(unsafe);
          }
          next(input);
        },
      },
    ],
  };
}
