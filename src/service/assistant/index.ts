export { ExposedCatalog } from './exposed';
export {
  type AssistantReach,
  type ExposedPlaybook,
  type LocalRun,
  type SourceText,
  type RecordedSource,
  type RestCall,
} from './reach';
export { assistantServer, type AssistantOptions, type McpServer, type ToolCallNote } from './server';
export { type AssistantScope, type AssistantTool } from './tool';
export { ASSISTANT_TOOLS } from './tools';
