import { type AssistantTool } from '../tool';
import { actingTools } from './acting';
import { authoringTools } from './authoring';
import { executionTools } from './executions';
import { provingTools } from './proving';

/** Every tool, in the order in which assistants see them. */
export const ASSISTANT_TOOLS: readonly AssistantTool[] = [
  ...authoringTools,
  ...executionTools,
  ...provingTools,
  ...actingTools,
];
