import type { Random } from '../../world/random.ts';

/** How many of each kind are remembered: enough to vary, and few enough to be used repeatedly. */
const MAX_KEPT = 60;

/** Fields of answers, and the kind of parameter that their values can be used for. */
const KINDS: Readonly<Record<string, string>> = {
  TaxpayerId: 'taxpayerId',
  TokenId: 'tokenId',
  VendorId: 'vendorId',
  PersonId: 'personId',
  AuthorityDeviceId: 'authorityDeviceId',
  GlobalCounter: 'globalCounter',
  FiscalDayNumber: 'fiscalDayNumber',
  BillerCode: 'billerCode',
  BillPayReference: 'billPayReference',
  VendorReference: 'vendorReference',
  DeliveryId: 'deliveryId',
  EndpointId: 'endpointId',
  NextCursor: 'cursor',
  VerificationCode: 'verificationCode',
  MemberNumber: 'memberNumber',
  PracticeId: 'practiceId',
  InvitationId: 'invitationId',
  PasskeyId: 'passkeyId',
};

/** Fields whose values must never appear in a log. */
const SECRET_FIELDS = new Set(['Token', 'Password', 'OneTimePassword', 'WebhookSecret', 'Secret', 'SigningSecret']);

/**
 * Names from answers, to be used in requests: without them nearly everything would be 404. What the fuzzer itself depends on (its
 * tokens, operators, device) is precious: it is read, but never changed.
 */
export class Names {
  readonly secrets = new Set<string>();
  readonly #kept = new Map<string, string[]>();
  readonly #precious = new Set<string>();

  protect(...names: readonly (string | number | undefined)[]): void {
    for (const name of names) this.#precious.add(String(name));
  }

  add(kind: string, value: string | number): void {
    const kept = this.#kept.get(kind) ?? [];
    this.#kept.set(kind, kept);
    const text = String(value);
    if (kept.includes(text)) return;
    kept.push(text);
    // The first ones stay, because they have a history.
    if (kept.length > MAX_KEPT) kept.splice(MAX_KEPT / 3, 1);
  }

  pick(kind: string, random: Random, mayBePrecious: boolean): string | undefined {
    const kept = (this.#kept.get(kind) ?? []).filter((name) => mayBePrecious || !this.#precious.has(name));
    return kept.length === 0 ? undefined : random.pick(kept);
  }

  /** Remembers the names in an answer. */
  learn(value: unknown, operationId: string): void {
    if (Array.isArray(value)) {
      for (const part of value.slice(0, 20)) this.learn(part, operationId);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    if ('Status' in value && value.Status === 'BeingPaid' && 'BillPayReference' in value) {
      this.add('openPayment', String(value.BillPayReference));
    }
    if ('IsThis' in value && value.IsThis === false && 'SessionId' in value)
      this.add('sessionId', String(value.SessionId));
    for (const [field, part] of Object.entries(value)) {
      if (typeof part === 'object') this.learn(part, operationId);
      else if (typeof part === 'string' || typeof part === 'number') this.#learnField(field, part, operationId);
    }
  }

  #learnField(field: string, value: string | number, operationId: string): void {
    if (SECRET_FIELDS.has(field) && typeof value === 'string') this.secrets.add(value);
    const kind = KINDS[field];
    if (kind !== undefined) this.add(kind === 'cursor' ? `cursor of ${operationId}` : kind, value);
    if (field === 'Number' && operationId === 'listAlerts') this.add('alertId', value);
    if (field === 'Code' && /Biller/.test(operationId) && typeof value === 'string') this.add('billerCode', value);
    if (field === 'Reference') this.add(/Invoice/.test(operationId) ? 'invoiceReference' : 'reference', value);
  }
}
