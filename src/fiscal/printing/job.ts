import type { PrintForm, PrintFormat } from '../../contract/fiscal/printing.ts';
import type { PrintedSeal, SellerFacts } from './core/printed-document.ts';
import type { PrintedReport } from './core/report-rows.ts';
import type { Logo, ReceiptFacts } from './store.ts';

/** A receipt as it is stored, with all that is printed beside it: reading a long one is work for the process that draws. */
export interface PrintSource {
  readonly body: string;
  readonly seal: PrintedSeal;
  readonly seller: SellerFacts;
  readonly original: ReceiptFacts['original'];
  readonly footer: string | undefined;
  readonly hasFiscalNoteTitles: boolean;
}

/** What the process that draws is given: plain data. */
export interface Job {
  readonly format: PrintFormat;
  readonly content:
    | { readonly kind: 'receipt'; readonly source: PrintSource; readonly form: PrintForm | undefined }
    | { readonly kind: 'report'; readonly report: PrintedReport; readonly title: string };
  readonly logo: Logo | undefined;
  /** Written into a PDF, so that the same receipt is the same file every time. */
  readonly date: Date;
}

/** What the process that draws answers. */
export type JobOutcome =
  | { readonly kind: 'rendered'; readonly bytes: Uint8Array }
  /** As a picture; a PDF has no such bound. */
  | { readonly kind: 'too-large'; readonly pageCount: number };
