/**
 * Turns off what a suite leaves on: an `AsyncLocalStorage` that was once used stays in the list of the process, and in
 * Node 20 every promise and every handle carries a property for each one in that list. jest-circus, tracing and the
 * Temporal SDK make new ones in every suite.
 */
const asyncHooks = require('node:async_hooks');

const made = new Set();

asyncHooks.AsyncLocalStorage = class AsyncLocalStorage extends asyncHooks.AsyncLocalStorage {
  constructor(...given) {
    super(...given);
    made.add(this);
  }
};

/** Those made since the last call. */
exports.disableStorages = () => {
  for (const storage of made) storage.disable();
  made.clear();
};
