/** Styles are imported for their effect. */
declare module '*.css';

/** By its address, who may use an operation that is for people: of the contract, put here when the console is built. */
declare const ACCESS: Readonly<Record<string, import('../../src/contract/shared/access.ts').PeopleAccess | undefined>>;
/** Fields of a change that are the installation's alone. */
declare const KEPT_FIELDS: Readonly<Record<string, readonly string[] | undefined>>;
