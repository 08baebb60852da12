/** How each part of something is ended, in the order in which they were started; `isKept`: what a person may want to look at is copied. */
export type Ends = ((isKept: boolean) => unknown)[];

/** The last one first. One that fails keeps none of the others from being ended. */
export async function endAll(ends: Ends, isKept: boolean): Promise<void> {
  const problems: unknown[] = [];
  for (const end of ends.splice(0).toReversed()) {
    try {
      await end(isKept);
    } catch (error) {
      problems.push(error);
    }
  }
  if (problems.length > 0) throw new AggregateError(problems, `not ended: ${problems.join('; ')}`);
}

/** What was started is ended again when the rest cannot be started. */
export async function startAll<Parts>(start: (ends: Ends) => Promise<Parts>): Promise<Parts> {
  const ends: Ends = [];
  try {
    return await start(ends);
  } catch (error) {
    await endAll(ends, false).catch((left: unknown) => {
      throw new AggregateError([error, left], `${String(error)}; then ${String(left)}`, { cause: error });
    });
    throw error;
  }
}
