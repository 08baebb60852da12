/** The front door of the console area. */

export { ensureOperatorToken } from './first-operator-token.ts';
export { addOperator } from './operators/add-operator.ts';
export { CONSOLE_HEADER } from './operators/core/same-origin.ts';
export { newOneTimePassword } from './operators/passwords.ts';
export { sessionCookie } from './operators/session-cookie.ts';
export { type ConsoleOptions, registerConsole } from './service.ts';
export { webRoutes } from './web-routes.ts';
