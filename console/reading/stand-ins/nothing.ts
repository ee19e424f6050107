/** Replaces modules that browsers do not have; nothing calls them there. */
export default {};
export const util = {};
export const types = {};
export const promisify = (): (() => never) => absent;
export const deflateRawSync = (): never => absent();
export const inflateRaw = (): never => absent();
export const deflate = (): never => absent();
export const inflate = (): never => absent();
export const createReadStream = (): never => absent();
export const createHash = (): never => absent();

function absent(): never {
  throw new Error('browsers do not have this module');
}
