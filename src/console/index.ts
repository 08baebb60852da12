/** The front door of the console area. */

export { ensureOperatorToken } from './first-operator-token.ts';
export { countsOfMinutes } from './overview/minute-store.ts';
export { addPerson } from './people/add-person.ts';
export { CONSOLE_HEADER } from './people/core/same-origin.ts';
export type { Tenant } from './people/core/tenant.ts';
export { newOneTimePassword } from './people/passwords.ts';
export { sessionCookie } from './people/session-cookie.ts';
export { ensurePractice } from './practices/practice-store.ts';
export { type ConsoleOptions, registerConsole } from './service.ts';
export { webRoutes } from './web-routes.ts';
