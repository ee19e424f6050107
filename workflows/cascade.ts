/**
 * The mark that an execution was cancelled with all that it started (docs/design/executions.md#cancelling-a-family): that
 * it exists says so, from the moment the server has it. It has nothing to do.
 */
export function cascade(): Promise<void> {
  return Promise.resolve();
}
