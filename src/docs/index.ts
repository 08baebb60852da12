/** The front door of the documentation area. */
export type { DemoHints } from './landing/landing-page.ts';
export { registerDocs } from './register-docs.ts';
