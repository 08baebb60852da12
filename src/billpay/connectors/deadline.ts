/** An answer in time, or the promise of it, whose lateness is not an error. */
export type InTime<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'late' };

/** Waits for an answer, but no longer than that. The request itself continues: see the connector's port. */
export async function withinDeadline<Answer>(asked: Promise<Answer>, deadlineMs: number): Promise<InTime<Answer>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<InTime<Answer>>((resolve) => {
    timer = setTimeout(resolve, deadlineMs, { kind: 'late' });
  });
  const answered = asked.then(
    (answer): InTime<Answer> => ({ kind: 'answered', answer }),
    (error: unknown): InTime<Answer> => ({ kind: 'failed', error }),
  );
  try {
    return await Promise.race([answered, late]);
  } finally {
    clearTimeout(timer);
  }
}
