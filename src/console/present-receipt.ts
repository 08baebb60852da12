import {
  presentRemark,
  type ReceiptDetail,
  type RecordedAttempt,
  type RelatedReceipt,
  signedReceiptText,
} from '../fiscal/index.ts';

interface AroundReceipt {
  readonly neighbours: readonly RelatedReceipt[];
  readonly notes: readonly RelatedReceipt[];
  readonly attempts: readonly RecordedAttempt[];
}

/** A receipt with all that is known of it, as JSON text: the receipt itself goes in as it is kept, every digit of it. */
export function receiptDetailText(detail: ReceiptDetail, { neighbours, notes, attempts }: AroundReceipt): string {
  const { sealed, submission, lane } = detail;
  const at = (globalCounter: number) => {
    const found = neighbours.find((neighbour) => neighbour.globalCounter === globalCounter);
    return found === undefined ? null : presentRelated(found);
  };
  const around = {
    TaxpayerId: detail.taxpayerId,
    TaxpayerName: detail.taxpayerName,
    Zone: detail.zone,
    SealedAt: sealed.sealedAt.toISOString(),
    State: sealed.submission.state,
    PreviousHash: detail.previousHash?.toString('base64') ?? null,
    Previous: at(sealed.globalCounter - 1),
    Next: at(sealed.globalCounter + 1),
    Notes: notes.map(presentRelated),
    FailedAttempts: attempts.map(({ outcome, code, words, firstAt, lastAt, times }) => ({
      Outcome: outcome,
      Code: code,
      Words: words,
      FirstAt: firstAt.toISOString(),
      LastAt: lastAt.toISOString(),
      Times: times,
    })),
    Submission:
      submission === undefined
        ? null
        : {
            Attempts: submission.attempts,
            SettledAt: submission.settledAt.toISOString(),
            AuthorityReceiptId: submission.authorityReceiptId?.toString() ?? null,
            AuthorityDate: submission.serverDate?.replace(' ', 'T') ?? null,
            IsAuthoritySignatureValid: submission.isServerSignatureValid,
            IsWithoutBuyer: submission.isWithoutBuyer,
            Remarks: sealed.submission.remarks.map((remark) => ({ ...presentRemark(remark), Words: remark.words })),
          },
    Lane:
      lane === undefined
        ? null
        : {
            SubmittedThrough: lane.submittedThrough,
            StoppedReason: lane.stoppedReason,
            Error: lane.error,
            NextAttemptAt: lane.nextAttemptAt?.toISOString() ?? null,
          },
  };
  return `${JSON.stringify(around).slice(0, -1)},"Receipt":${signedReceiptText(sealed)}}`;
}

function presentRelated(receipt: RelatedReceipt) {
  return {
    AuthorityDeviceId: receipt.deviceId,
    GlobalCounter: receipt.globalCounter,
    Reference: receipt.reference,
    Type: receipt.type,
    Currency: receipt.currency,
    TotalAmount: receipt.total,
  };
}
