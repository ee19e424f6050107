export * from './coded-error';
export * from './environment-error';
export { checkNumberSettings, numberSetting } from './number-settings';
