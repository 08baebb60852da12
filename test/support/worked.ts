/** The time that this thread has worked, in ms: unlike a clock's, it does not pass while the machine is busy with something else. */
export function workedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
