/** `node -r`: prints the packages that a process has loaded, as JSON on the last line of its output, when it ends. */
const fs = require('node:fs');

process.on('exit', () => {
  const names = Object.keys(require.cache).flatMap(
    (file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [],
  );
  fs.writeSync(1, `\n${JSON.stringify([...new Set(names)])}`);
});
