/** As `isAborted` of Temporal's room, which is loaded when there is an error to ask about: a facade needs no client. */
export async function isAborted(error: unknown): Promise<boolean> {
  const temporal = await import('../../temporal/chain.js');
  return temporal.isAborted(error);
}
