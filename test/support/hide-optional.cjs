/** `node -r`: every package that `npm ci --omit=optional` leaves out is not there. */
const Module = require('node:module');

const { optionalDependencies } = require('../../package.json');
const resolve = Module._resolveFilename;

Module._resolveFilename = function (request, ...rest) {
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(request)?.[0];
  if (name && Object.hasOwn(optionalDependencies, name)) {
    const error = new Error(`Cannot find module '${request}'`);
    error.code = 'MODULE_NOT_FOUND';
    throw error;
  }
  return resolve.call(this, request, ...rest);
};
