type Explained = readonly [from: string, to: string, reason: string];

/** Survivors that were looked into, by file: what stood there, what became of it, and why no test can tell, or need not. */
export const EXPLAINED: Readonly<Record<string, readonly Explained[]>> = {};
