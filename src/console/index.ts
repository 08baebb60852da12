/** The front door of the console area. */
export { type ConsoleOptions, registerConsole } from './service.ts';
