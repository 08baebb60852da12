/** The name under which a page finds the letters it brings along. */
export const PAGE_FONT = 'Tillseal scripts';

/** Latin, Greek, Cyrillic, Armenian, Georgian, punctuation and common signs: whatever shows a page has letters for them. */
const READ_EVERYWHERE = /^[\u0020-\u058f\u10a0-\u10ff\u1e00-\u22ff\u2500-\u25ff]*$/;

export function isReadEverywhere(text: string): boolean {
  return READ_EVERYWHERE.test(text);
}

/** Letters that are written from right to left. */
export const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
