/** As `isAborted` of src/temporal, which is loaded only for an error: a facade client does not need it. */
export async function isAborted(error: unknown): Promise<boolean> {
  const temporal = await import('../../temporal/chain.js');
  return temporal.isAborted(error);
}
