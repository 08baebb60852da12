/**
 * The tax authority as the fiscal area sees it: a port. Opening a day and submitting a receipt go through it; who stands
 * behind it (the gateway over mutual TLS, or nobody yet) is decided in main.ts alone.
 */
export interface Authority {
  openDay(request: OpenDayRequest): Promise<AuthorityAnswer>;
  submitReceipt(request: SubmitReceiptRequest): Promise<AuthorityAnswer>;
}

export interface OpenDayRequest {
  readonly deviceId: number;
  readonly fiscalDayNumber: number;
  readonly openedAt: Date;
}

export interface SubmitReceiptRequest {
  readonly deviceId: number;
  readonly globalCounter: number;
}

export type AuthorityAnswer = { readonly kind: 'accepted' } | { readonly kind: 'unreachable'; readonly reason: string };
