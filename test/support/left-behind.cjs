/**
 * Clears away what a suite leaves in its process, which runs further ones.
 *
 * An `AsyncLocalStorage` that was once used stays in the list of the process, and in Node 20 every promise and every
 * handle carries a property for each one in that list. jest-circus, tracing and the Temporal SDK make new ones in every
 * suite. And a channel of diagnostics that is listened to keeps the listener, and with it all the suite's modules.
 */
const asyncHooks = require('node:async_hooks');
const channels = require('node:diagnostics_channel');

const storages = new Set();
const listeners = [];
/** What is stored, by what handles carry in its place: they may be there for ever. */
let stored = new WeakMap();

asyncHooks.AsyncLocalStorage = class AsyncLocalStorage extends asyncHooks.AsyncLocalStorage {
  constructor(...given) {
    super(...given);
    storages.add(this);
  }

  run(store, ...called) {
    return super.run(carried(store), ...called);
  }

  enterWith(store) {
    super.enterWith(carried(store));
  }

  getStore() {
    return stored.get(super.getStore());
  }
};

function carried(store) {
  const key = {};
  stored.set(key, store);
  return key;
}

const { subscribe } = channels;
channels.subscribe = (channel, listener) => {
  listeners.push([channel, listener]);
  subscribe(channel, listener);
};

/** What there is since the last call. */
exports.clearAway = () => {
  for (const storage of storages) storage.disable();
  storages.clear();
  stored = new WeakMap();
  for (const [channel, listener] of listeners.splice(0)) channels.unsubscribe(channel, listener);
};
