/** Lists what was skipped, at the end of a run; nothing where tests were picked by their names. */
const path = require('node:path');

module.exports = class {
  constructor({ rootDir, testNamePattern }) {
    this.rootDir = rootDir;
    this.isPicked = Boolean(testNamePattern);
  }

  onRunComplete(_, { testResults }) {
    if (this.isPicked) return;
    const lines = testResults.flatMap(({ testFilePath, testResults: tests }) => {
      const skipped = tests.filter(({ status }) => status === 'pending');
      if (skipped.length === 0) return [];
      return [path.relative(this.rootDir, testFilePath), ...skipped.map(({ fullName }) => `  ${fullName}`)];
    });
    if (lines.length > 0) process.stderr.write(`\nSkipped:\n${lines.join('\n')}\n`);
  }
};
