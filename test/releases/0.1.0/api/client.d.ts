import { Client } from '@temporalio/client';
import { PlaybookExecution } from './shared.js';
import { JsonObject } from './extension.js';
import { Plan } from './index.js';
export { CodedError, ExecutionEnding as Ending, EnvironmentError, SentEventAnswer as EventAnswer, EventsOptions, newExecutionId } from './shared.js';
import '@temporalio/common/lib/proto-utils';
import '@temporalio/common';
import '@temporalio/proto';
interface ClientOptions {
    readonly address?: string;
    readonly storage?: string;
    readonly env?: Readonly<Record<string, string | undefined>>;
}
interface PlaybookClient {
    readonly temporal: Client;
    start(plan: Plan, payload?: JsonObject, id?: string): Promise<PlaybookExecution>;
    execution(name: string): PlaybookExecution;
    close(): Promise<void>;
}
declare function openClient(options?: ClientOptions): Promise<PlaybookClient>;
export { PlaybookExecution, openClient };
export type { ClientOptions, PlaybookClient };
