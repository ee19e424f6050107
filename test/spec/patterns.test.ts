/** What test/support/patterns.cjs makes of regular expressions among expected values. */
const refused = (actual: object, expected: object): void => {
  expect(() => expect(actual).toMatchObject(expected)).toThrow();
};

it('they are patterns of texts, wherever they stand', () => {
  expect({ a: [{ message: 'abc' }], is: /x/ }).toMatchObject({ a: [{ message: /b/ }], is: /x/ });
  refused({ a: [{ message: 'abc' }] }, { a: [{ message: /x/ }] });
  refused(new Error('abc'), { message: /x/ });
  refused({}, { message: /x/ });
  refused({ message: 1 }, { message: /1/ });
});
