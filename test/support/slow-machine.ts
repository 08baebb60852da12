/** The time that this thread has worked, in ms: unlike a clock's, it does not pass while the machine is busy with something else. */
export function workedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** As every language opens an outbox in the guides, and the same with a deadline that no machine is too slow for. */
const OUTBOXES = [
  [`client.openOutbox('till.outbox')`, `client.openOutbox('till.outbox', { deadlineSeconds: 100 })`],
  [`$client->openOutbox('till.outbox')`, `$client->openOutbox('till.outbox', 100)`],
  [`client.open_outbox("till.outbox")`, `client.open_outbox("till.outbox", deadline_seconds=100)`],
  [`OpenOutboxAsync("till.outbox", connect`, `OpenOutboxAsync("till.outbox", connect, TimeSpan.FromSeconds(100)`],
] as const;

/** A guide's program whose sale is sealed while it waits, however slow the machine is. */
export function patientTill(program: string): string {
  const [usual, patient] = OUTBOXES.find(([known]) => program.includes(known)) ?? [];
  if (usual === undefined) throw new Error(`no outbox is opened in:\n${program}`);
  return program.replaceAll(usual, patient);
}
