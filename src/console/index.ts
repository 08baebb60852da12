/** The front door of the console area. */

export { ensureOperatorToken } from './first-operator-token.ts';
export { type ConsoleOptions, registerConsole } from './service.ts';
