const MAX_INTEGER = 2_147_483_647;

/** A number in a path that its handler looks at. What cannot be the number of anything is 0: answered as what is not there. */
export function openNumber(param: unknown): number {
  const text = String(param);
  const number = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  return number <= MAX_INTEGER ? number : 0;
}
