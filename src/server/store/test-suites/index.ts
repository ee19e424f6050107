export { type TestSuite, TestSuites } from './suites';
