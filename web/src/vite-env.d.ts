/** Styles are imported for their effect. */
declare module '*.css';

/** By its address, who may use an operation that is for people: of the contract, put here when the console is built. */
declare const ACCESS: Readonly<Record<string, import('../../src/contract/shared/access.ts').PeopleAccess | undefined>>;
