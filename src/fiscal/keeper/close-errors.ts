/** Why a day could not be closed and what to do about it, for the person who reads the alert. */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  BadCertificateSignature:
    'BadCertificateSignature. The authority could not verify the closing signature. Check that the device certificate is the newest one and that nothing else closes days for this device; then close again by hand.',
  MissingReceipts:
    'MissingReceipts. The authority lacks a receipt of this day. The closing is repeated automatically, in case the receipt only arrived late; if that does not help, compare both lists of receipts and have the day closed by hand at the authority.',
  ReceiptsWithValidationErrors:
    'ReceiptsWithValidationErrors. A receipt of this day is marked red, so the device cannot close it any more. Ask the authority to close the day by hand (portal or regional office); Tillseal notices it and opens the next day.',
  CloseDayLost:
    'CloseDayLost. CloseDay was sent several times, and the authority still shows the day as open and gives no reason. Receipts are signed in this day as before; the closing is tried again automatically every half hour. If that does not help, have the day closed by hand at the authority.',
  CountersMismatch:
    "CountersMismatch. The authority's sums differ from ours. They are computed again from the receipts and the closing is repeated automatically; if it fails again, compare the Z report with the authority's and have the day closed by hand.",
};

export function explainCloseError(error: string): string {
  return (
    EXPLANATIONS[error] ?? `${error}. Try again by hand, and have the day closed at the authority if it does not help.`
  );
}
