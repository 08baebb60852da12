/** What one line of a till roll shows. Text rows fit their columns; how a picture looks is up to the printer. */
export const PAPER_COLUMNS = 48;

export type PaperRow =
  | { readonly kind: 'text'; readonly left: string; readonly right: string; readonly isBold: boolean }
  | { readonly kind: 'centre'; readonly text: string; readonly isBold: boolean }
  | { readonly kind: 'rule' }
  | { readonly kind: 'blank' }
  | { readonly kind: 'logo' }
  | { readonly kind: 'qr'; readonly content: string };
