/** The front door of the documentation area. */
export { registerDocs } from './register-docs.ts';
