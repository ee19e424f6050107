/**
 * Before every test file: a regular expression among expected values is a pattern of the text. Of its own, `toMatchObject`
 * takes it for an object without properties, which everything matches.
 */
expect.addEqualityTesters([
  (actual, expected) => {
    if (!(expected instanceof RegExp) || actual instanceof RegExp) return undefined;
    return typeof actual === 'string' && expected.test(actual);
  },
]);
