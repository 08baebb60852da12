/** The time, as a value that comes in: tests run days in seconds. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

export function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
