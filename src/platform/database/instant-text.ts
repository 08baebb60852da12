/** A moment as answers have it, `2026-11-15T10:00:00.000Z`, of an expression in SQL. */
export function instantText(moment: string): string {
  return `to_char((${moment}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
