/** Tools as activities of a worker: what they see of Temporal. */
import { Context } from '@temporalio/activity';
import { ActivityCancelledError, ActivityPausedError, ActivityResetError } from '@temporalio/client';
import { asActivity, type ToolServices } from '../../../activities/framework/activity/activity';
import { type ActivityPort } from '../../../activities/framework/activity/attempt';
import { type LocalActivityPort } from '../../../activities/framework/local/activity';
import { onTheWire } from '../../../activities/framework/activity/wire';
import { type Tool } from '../../../activities/framework/tool/tool';
import { type ActivityIdentity } from '../../language/plan';
import { type TaskMetrics } from '../../telemetry/metrics';

/** The activity function of a tool. @param metrics is told how long the task waited in the queue */
export function toolActivity(
  tool: Tool,
  services: ToolServices,
  metrics?: TaskMetrics,
): ReturnType<typeof onTheWire> {
  return onTheWire(
    asActivity(tool, services, () => {
      const context = Context.current();
      const { currentAttemptScheduledTimestampMs: due } = context.info;
      metrics?.waited(tool.kind, (Date.now() - due) / 1000);
      return portOf(context);
    }),
    identity,
  );
}

/** What the activity of `exec: local` sees of the one that runs. */
export function currentLocal(): LocalActivityPort {
  const context = Context.current();
  return { ...portOf(context), lastHeartbeat: context.info.heartbeatDetails };
}

function portOf(context: Context): ActivityPort {
  return {
    cancellationSignal: context.cancellationSignal,
    cancelled: context.cancelled,
    info: context.info,
    heartbeat: (details) => context.heartbeat(details),
    tell: (details) => tell(context, details),
  };
}

/** Temporal has recorded the heartbeat too when it answers that the activity must stop. */
const STOPS = [ActivityCancelledError, ActivityPausedError, ActivityResetError];

async function tell({ client, info }: Context, details: unknown): Promise<{ stop: boolean }> {
  try {
    await client.activity.heartbeat(info.taskToken, details);
    return { stop: false };
  } catch (error) {
    if (STOPS.some((type) => error instanceof type)) return { stop: true };
    throw error;
  }
}

function identity(): ActivityIdentity {
  const { activityId, activityType, workflowExecution } = Context.current().info;
  return { activityId, activityType, workflowId: workflowExecution?.workflowId ?? '' };
}
