/** Gives the source text of a number in a parsed document, so that no digit passes through a binary float. */
export type NumberText = (holder: object, key: string) => string;
