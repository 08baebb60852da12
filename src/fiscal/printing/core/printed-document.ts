/**
 * A receipt as it must be printed: the authority's specification §10, every element in words, in order, and nothing of paper
 * yet. All renderers start from here, so a receipt says the same on a till roll, on A4 and on a screen.
 */
import type { Receipt } from '../../../fdms/index.ts';

/** What is printed of a receipt beside its own fields. */
export interface PrintInput {
  readonly receipt: Receipt;
  readonly seal: PrintedSeal;
  readonly seller: SellerFacts;
  /** Of a note. */
  readonly original: OriginalFacts | undefined;
  readonly footer: string | undefined;
  readonly hasFiscalNoteTitles: boolean;
}

export interface PrintedSeal {
  readonly deviceId: number;
  readonly serialNumber: string;
  readonly fiscalDayNumber: number;
  readonly fiscalDayCounter: number;
  readonly globalCounter: number;
  /** Device local, as signed: `YYYY-MM-DDTHH:mm:ss`. */
  readonly date: string;
  readonly verificationCode: string;
  readonly qrContent: string;
  readonly qrUrl: string;
}

/** What the authority has on file of the seller and the branch the device stands in. */
export interface SellerFacts {
  readonly name: string;
  readonly tin: string;
  readonly vatNumber: string | undefined;
  readonly branchName: string | undefined;
  /** House number, street, city and province, in this order; empty where not on file. */
  readonly address: readonly string[];
  readonly email: string | undefined;
  readonly phone: string | undefined;
}

/** The invoice of a note. Serial number and date are only known of what was sealed here. */
export interface OriginalFacts {
  readonly reference: string;
  readonly globalCounter: number;
  readonly deviceId: number;
  readonly fiscalDayNumber: number | undefined;
  readonly serialNumber: string | undefined;
  readonly date: string | undefined;
}

export interface Fact {
  readonly label: string;
  readonly value: string;
}

export interface Party {
  readonly name: string;
  readonly lines: readonly string[];
}

export interface PrintedLine {
  /** Begins with `Discount:` where it is one. */
  readonly name: string;
  readonly hsCode: string;
  readonly quantity: string;
  readonly unitPrice: string;
  /** `3 each @ 5000.00`; none for a single piece. */
  readonly quantityText: string | undefined;
  /** As sent: with tax or without, see `isInclusive`. */
  readonly amount: string;
  /** `-` when exempt. */
  readonly vat: string;
  readonly amountWithTax: string;
}

export interface PrintedTax {
  /** `15.5%`, `0%` or `Exempt`. */
  readonly rate: string;
  readonly net: string;
  readonly vat: string;
  readonly gross: string;
}

export interface PrintedDocument {
  readonly title: string;
  readonly seller: Party;
  readonly buyer: Party | undefined;
  readonly facts: readonly Fact[];
  readonly original: { readonly label: string; readonly facts: readonly Fact[] } | undefined;
  readonly isInclusive: boolean;
  /** Who is not registered for VAT prints no word of it. */
  readonly isVatPayer: boolean;
  readonly lines: readonly PrintedLine[];
  readonly currency: string;
  /** Only where the lines are without tax. */
  readonly totalWithoutTax: string | undefined;
  readonly taxes: readonly PrintedTax[];
  readonly totalLabel: string;
  readonly total: string;
  readonly payments: readonly Fact[];
  readonly itemCount: string;
  readonly note: readonly string[];
  readonly verification: Verification;
  readonly footer: readonly string[];
}

export interface Verification {
  readonly code: string;
  readonly text: string;
  readonly url: string;
  readonly qrContent: string;
}
