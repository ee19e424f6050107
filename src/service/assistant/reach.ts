/** What an assistant's tools reach, whoever serves them: a process with files, or a facade with a catalog. */
import { type LoadedDataConverter } from '@temporalio/common';
import { type Pages } from '../../history';
import { type ToolKinds } from '../../language/dsl';
import { type CallExecutor } from '../../offline/proof';

export interface RestCall {
  readonly method?: 'GET' | 'POST';
  readonly body?: unknown;
}

/** The history of an execution. */
export interface RecordedSource {
  /** As named by the assistant. */
  readonly name: string;
  /** Fetches values that the history only refers to. */
  readonly converter: LoadedDataConverter;
  readonly workflowId?: string;
  /** From its start, at each call. */
  pages(): Pages;
}

export interface SourceText {
  readonly text: string;
  /** Where it lies, if it is a file. */
  readonly file?: string;
}

/** A playbook that its author offers as a tool. */
export interface ExposedPlaybook {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its inputs. */
  readonly inputSchema: object;
  /** Runs it to its end, or as long as callers wait. @returns the `CallToolResult` */
  call(input: Readonly<Record<string, unknown>>): Promise<object>;
}

export interface AssistantReach {
  /** The kinds of tools that playbooks may use here. */
  readonly kinds: ToolKinds;
  /** Whether there is a catalog, in which playbooks are registered, staged and promoted. */
  readonly hasCatalog: boolean;
  /**
   * Asks the REST API, until it has an answer.
   *
   * @param path from `/api` on
   * @throws CodedError with the code of the API
   */
  ask<T>(path: string, call?: RestCall): Promise<T>;
  /**
   * The text of a playbook: a path of the catalog or of a playbook file, or a file below the folder of this process.
   *
   * @throws CodedError if there is none
   */
  playbook(name: string): Promise<SourceText>;
  /** The text of another file below the folder of this process. @throws CodedError if there is none, or no files at all */
  file(name: string): Promise<SourceText>;
  /** The paths of the playbooks here. */
  playbooks(): Promise<readonly object[]>;
  /** Uses the history of an execution, by its id or as a history file. @throws CodedError if there is none */
  history<T>(name: string, use: (source: RecordedSource) => Promise<T>): Promise<T>;
  /** Runs calls of Python in a sandbox, for proofs; absent where no code may run. */
  readonly execute?: CallExecutor;
  /** Runs a playbook file here, or one of its steps alone; absent where the catalog's workers do it. @returns its result document */
  run?(request: LocalRun): Promise<object>;
}

export interface LocalRun {
  readonly playbook: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  /** This step alone, with this input. */
  readonly only?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly seconds: number;
}
