/** Variables of an execution, with their origin. */
import { type ReadExecution } from '../../executions/recorded';
import { FacadeError } from '../../http/errors';
import { shortenedState } from './status';
import { type VariableBook, type VariableFacts } from '../../executions/variables';

export interface VariableDocument extends VariableFacts {
  readonly value: unknown;
  readonly accessed_at: string;
  readonly access_count: number;
}

/** @param full large ones too */
export function documentsOf(
  read: ReadExecution,
  book: Pick<VariableBook, 'of'>,
  full: boolean,
): Record<string, VariableDocument> {
  const began = new Date(read.startedAt).toISOString();
  return Object.fromEntries(
    Object.entries(full ? read.state.ctx : shortenedState(read)).map(([name, value]) => {
      const facts = book.of(name, began);
      return [name, { value, ...facts, accessed_at: facts.updated_at, access_count: 0 }];
    }),
  );
}

export function noVariable(id: string, name: string): FacadeError {
  return new FacadeError(
    404,
    'VARIABLE_NOT_FOUND',
    `execution ${id} has no variable ${JSON.stringify(name)}`,
  );
}
