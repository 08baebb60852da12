import type { AlertKind } from './values.ts';

/** What to do, in a sentence; the message itself says what happened. */
export const ALERT_ADVICE: Readonly<Record<AlertKind, string>> = {
  ReceiptRefused: 'Open the receipt and decide: send it again, send it without the buyer, or give it up.',
  ReceiptRed: 'Ask the authority to close the day by hand, and find the cause, or it will happen again.',
  ReceiptUndeliverable: 'The receipts are kept as evidence. Settle them with the authority.',
  NoteHeldBack: 'Look at the device of the original: is it stopped or blocked?',
  DayCloseFailed: 'Remove the cause in the message, then close the day by hand on the page of the device.',
  DayNearMaximum: 'Remove what keeps the day from closing, then close it by hand.',
  DeviceRefused: 'Ask the authority to correct the device’s record. Tillseal keeps asking.',
  ConfigurationUnusable: 'Ask the authority to correct the device’s configuration. Tillseal asks for it every minute.',
  TaxesDiffer: 'Read the message: compare the percentages of your tills with the taxes on the page of the device.',
  DeviceDiffers: 'Ask the authority whose device it is. If another taxpayer has it, block it here.',
  CertificateExpires: 'Find out why it could not be renewed: with an expired certificate nothing is sealed.',
  AnswerUnclear:
    'It is tried again automatically. If a receipt waits, look it up in the authority’s portal and decide on its page.',
  CertificateMissing: 'Nothing for the first day: it is asked for again, and everything is then checked.',
  SignatureInvalid: 'Verify the chain of the device, then ask the authority.',
  ClockWrong: 'Correct the clock of the machine (NTP). The alert clears automatically with the next ping.',
  DayOpenElsewhere: 'Someone else has opened a day for this device. Find out who uses its key.',
  RestoredFromBackup:
    'Nothing, as long as the authority can be reached: its answer releases the device or says why not.',
  AuthorityAhead:
    'Restore a newer backup, go on behind the missing receipts on the page of the device, or continue with a new device.',
  BuyersNotTaken:
    'Remove the setting SEND_PARTIAL_BUYERS and start the service again. The marked day is closed at the authority.',
  CommitsWait: 'Bring the standby of the database back, or remove its name from synchronous_standby_names.',
  RowsLost:
    'Go on behind the missing receipts on the page of the device. To go back to the old database server instead: stop the new one, start the old one, run tillseal restore mark, and take the new one out of DATABASE_URL and rebuild it.',
  TillBehind:
    'Look at the till: does it reach this service, and what does “tillseal outbox FILE” on it say of its first sale?',
  EndpointFailing:
    'Look at what the receiver answers, and at the network. Nothing is lost, and the next time that it takes events ends this.',
  EndpointPaused: 'Mend the receiver at the address, send it a test event, then resume the endpoint.',
  DeviceStopped:
    'If an operator blocked it, ask them whether it may sell again, and unblock it. Otherwise remove the cause in the message: other alerts of this device say more about it.',
  ReportDue:
    'Report it to the authority: the console’s page Outages, and “tillseal outages report NUMBER”, have the text. Then enter the number that it answers.',
  PaymentFlagged: 'Ask the biller whether it has the money, then settle the payment by hand.',
  InvoiceRejected: 'Correct the biller or the vendor as the message says: the invoice is then made automatically.',
  InvoiceConflict: 'Another receipt has its reference. Compare both, and settle it with the vendor.',
  WebhookExhausted: 'Tell the vendor what its address answered, then send it again.',
};
