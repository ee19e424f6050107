/** Transpiles TypeScript on `require`, with the swc options of jest.config.cjs. */
const fs = require('node:fs');
const swc = require('@swc/core');

module.exports.addHook = () => {
  require.extensions['.ts'] = (module, filename) => {
    const { code } = swc.transformSync(fs.readFileSync(filename, 'utf8'), {
      filename,
      configFile: false,
      swcrc: false,
      jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: true } },
      module: { type: 'commonjs' },
      sourceMaps: 'inline',
    });
    module._compile(code, filename);
  };
};
