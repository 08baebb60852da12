import { type ErrorEntry, field, problem } from './entry.ts';

type Entries = Readonly<Record<string, ErrorEntry>>;

/** The request as a whole is at fault: sending it again as it is changes nothing. */
export const REQUEST_ERRORS = {
  InvalidRequest: {
    meaning: 'Fields of the request are wrong.',
    cause: 'The shape or at least one rule is broken. `errors` names every field, its code and what was expected.',
    fix: 'Correct what `errors` names and send it again. Nothing was signed, so the `Reference` is still free.',
    example: problem(
      'POST /api/receipt/sign with a TaxAmount of 0.54',
      'One thing must be corrected in this receipt; nothing was signed.',
      [{ Field: 'Taxes[0].TaxAmount', Code: 'RCPT026', Message: 'TaxAmount for 15.5% must be 0.47, got 0.54' }],
    ),
  },
  MalformedJson: {
    meaning: 'The body is not acceptable JSON.',
    cause:
      'It cannot be parsed, is not UTF-8, has a duplicate key in one object, a zero character, half a surrogate pair, or is nested too deep.',
    fix: 'Write the body with a JSON library, in UTF-8. `detail` names the first place that is wrong.',
    example: problem(
      'POST /api/receipt/sign with the body {"Reference": "A", "Reference": "B"}',
      'The key "Reference" occurs twice, again at line 1, column 20.',
    ),
  },
  UnsupportedMediaType: {
    meaning: 'The body is not declared as JSON.',
    cause: 'The header `Content-Type` is missing or different. Forms and XML are not accepted.',
    fix: 'Send `Content-Type: application/json`.',
    example: problem(
      'POST /api/receipt/sign with Content-Type: text/xml',
      'Send the body with Content-Type: application/json.',
    ),
  },
  BodyTooLarge: {
    meaning: 'The body is larger than 1 MiB.',
    cause: 'A receipt of 2,000 lines has about 400 KB, so the body contains something else, or several receipts.',
    fix: 'Send one receipt per request, and split one that has more than 2,000 lines.',
    example: problem('POST /api/receipt/sign with a body of 2 MB', 'A body has at most 1048576 bytes.'),
  },
  RequestTimeout: {
    meaning: 'The request did not arrive in time.',
    cause:
      'The headers took more than 10 seconds to arrive, or the body more than 30: a slow connection, or a wrong `Content-Length`.',
    fix: 'Send the same request again: nothing was done. Check that `Content-Length` is the number of bytes you send.',
    example: problem(
      'POST /api/receipt/sign with Content-Length: 2000 and a body of 1,260 bytes',
      'The request did not arrive in time. Nothing was done; send it again.',
    ),
  },
  HeadersTooLarge: {
    meaning: 'The address and the headers are too large.',
    cause:
      'Address and headers together are larger than 16 KiB: most often cookies of other services, or a long text in the query.',
    fix: 'Send only the headers that this API needs, and keep filters short.',
    example: problem(
      'GET /api/receipt with a header of 20 kB',
      'The address and headers of a request have at most 16 KiB together.',
    ),
  },
  Unauthorized: {
    meaning: 'The caller is unknown.',
    cause:
      'The token is missing, mistyped, expired or revoked, or of the other kind: `tsk_…` signs receipts, `tsv_…` takes bill payments. An unknown token and a revoked one are answered the same.',
    fix: 'Send `Authorization: Bearer <token>` with a token of the kind that `detail` names. If you already do, ask the operator of this service for a new token.',
    example: problem(
      'GET /api/receipt with Authorization: Bearer tsk_unknown',
      'The token is unknown, expired or revoked.',
    ),
  },
  Forbidden: {
    meaning: 'The caller is known but may not do this.',
    cause:
      "The token lacks the scope (`sign`, `read`, `endpoints` or `admin`), or its taxpayer's account is suspended.",
    fix: 'Use a token with the scope that `detail` names; only the operator of this service can lift a suspension.',
    example: problem('POST /api/receipt/sign with a token of the scope read', 'This token lacks the scope sign.'),
  },
  NotFound: {
    meaning: 'There is nothing with this name for you.',
    cause:
      "A reference or device is mistyped, or it is another taxpayer's, which is answered exactly the same. After a timeout it means: not signed.",
    fix: 'Check the name and the token. Send a slash inside a reference as `%2F`, or ask `GET /api/receipt?Reference=…`. If you looked up a receipt after a timeout, send the receipt again.',
    example: problem('GET /api/receipt/INV-999999', 'There is no receipt with this reference.'),
  },
  NoSuchAddress: {
    meaning: 'There is nothing at this address.',
    cause: 'The path is mistyped, or a proxy changes it. An outbox stops: no sale will pass at this address.',
    fix: 'Correct the address; `detail` names the nearest one. Send a slash inside a reference as `%2F`.',
    example: problem(
      'POST /api/receipts/sign',
      'There is nothing at this address. Did you mean POST /api/receipt/sign? All addresses are listed at /docs.',
    ),
  },
  MethodNotAllowed: {
    meaning: 'This address does not support this method.',
    cause:
      'A receipt cannot be changed or deleted: correct a mistake with a credit note. Signing is a POST, so `GET /api/receipt/sign` is refused.',
    fix: 'Use one of the methods in the header `Allow`.',
    example: problem('DELETE /api/receipt/INV-000147', 'This address takes GET, not DELETE.'),
  },
  ReferenceConflict: {
    meaning: 'This reference is already sealed, with other data.',
    cause:
      'The reference was used for another receipt, or a retry was built again (another date, another amount) instead of being resent.',
    fix: 'Read the receipt with `GET /api/receipt/{reference}`: if it is the same sale, it has its seal, and must not get a second one. Store a request before you send it, and resend exactly that. Only another sale gets a `Reference` of its own.',
    example: problem(
      'POST /api/receipt/sign: INV-000147 again, now paid by card',
      'Reference INV-000147 is sealed already with other data: Payments[0].Type. If this is the same sale, it has its seal: read it with GET /api/receipt/INV-000147. Only another sale gets a Reference of its own. Nothing was signed.',
      [{ Field: 'Payments[0].Type', Code: 'ReferenceConflict', Message: 'sealed with Cash, now Card' }],
    ),
  },
} as const satisfies Entries;

/** Nothing was done, and the same request has a chance later: after Retry-After where it is given. */
export const SERVICE_ERRORS = {
  RateLimited: {
    meaning: 'This token, taxpayer or network sends more requests than it may.',
    cause:
      'More requests per second than the operator allows for one token (200 by default), or more than 200 that wait for events at the same time. Or too many documents of one taxpayer are waiting to be drawn, or one network sends too many unknown tokens or log-ins. At the log-in of the console: five wrong passwords in a row, or fifty from many networks.',
    fix: 'Wait for `Retry-After`, then continue more slowly. Give each till its own token. If you are locked out of the console, wait or ask an admin for a new password.',
    example: problem(
      'The 201st request of a token within a second',
      'This token sends more requests per second than it may. Nothing was done; try again after Retry-After.',
    ),
  },
  DeviceBusy: {
    meaning: "The device's dates have run too far ahead of the clock.",
    cause:
      'Every receipt of a device is dated at least a second after the one before. A long burst of more than one receipt a second has used up the time by which a date may be moved.',
    fix: 'Send the same receipt again after `Retry-After`, with the header `Late-Receipt: true` if it has waited. Spread the load over several devices.',
    example: problem(
      'POST /api/receipt/sign after a burst of 300 receipts',
      'Device 1001 has sealed so fast that its dates run 300 s ahead of the clock. Send the same receipt again in 1 s, with the header Late-Receipt: true if it has waited, and spread the load over several devices.',
    ),
  },
  MaintenanceWindow: {
    meaning: 'The device is in its daily maintenance window.',
    cause: 'For two hours a day the fiscal day is closed and the next one opened. Nothing is signed in that time.',
    fix: 'Keep the receipt and send it again after `Retry-After`, with the header `Late-Receipt: true`; `OpensAt` is when the window ends. `GET /api/device/{id}` shows the next window; an operator can move it.',
    example: {
      ...problem(
        'POST /api/receipt/sign at 02:30',
        'Device 1001 is in its daily two-hour maintenance window until 2026-11-16T04:00:00 (Africa/Harare). Send the same receipt again, with the header Late-Receipt: true, after it.',
      ),
      opensAt: '2026-11-16T04:00:00+02:00',
    },
  },
  FiscalDayNotOpen: {
    meaning: 'The fiscal day of the device is not open.',
    cause: 'It is being opened or closed, or an operator closed it by hand and it stays closed for now.',
    fix: 'Send the same receipt again after `Retry-After`, with the header `Late-Receipt: true`. `OpensAt`, if it is known, is when the next day opens automatically; an operator can open it earlier, so `Retry-After` is never more than 300 seconds.',
    example: {
      ...problem(
        'POST /api/receipt/sign on a device whose day was closed by hand',
        'The fiscal day of device 1001 is not open (it is Closed). The next one opens at 2026-11-16T04:00:00+02:00, or earlier if an operator opens it. Send the same receipt again, with the header Late-Receipt: true, then.',
      ),
      opensAt: '2026-11-16T04:00:00+02:00',
    },
  },
  FiscalDayTooLong: {
    meaning: 'The fiscal day has been open for longer than the authority allows.',
    cause: 'The day was not closed in its maintenance window, for example because the authority could not be reached.',
    fix: 'Send the same receipt again after `Retry-After`, with the header `Late-Receipt: true`. The operator closes the day and opens the next one.',
    example: problem(
      'POST /api/receipt/sign 25 hours after the day was opened',
      'Fiscal day 1 of device 1001 has been open for more than 24 hours. It must be closed and the next one opened first. Send the same receipt again, with the header Late-Receipt: true, then.',
    ),
  },
  TaxUnclear: {
    meaning:
      'Whether the device still has a tax of this receipt is not clear. There is nothing wrong with the receipt.',
    cause:
      'The authority’s last answer does not list the tax, or it remarked RCPT025 on a receipt with it. It is being asked; receipts with other percentages are signed meanwhile.',
    fix: 'Send the same receipt again after `Retry-After`, with the header `Late-Receipt: true`. It is signed as soon as the authority has confirmed the tax; if it has ended, the answer is RCPT025.',
    example: problem(
      'POST /api/receipt/sign after the authority’s answer lacked the tax of 15.5%',
      'Whether device 1001 still has the tax of 15.5% is not clear: the authority no longer lists the tax in its last answer, and is being asked. Nothing was signed; send the same receipt again in a moment, with the header Late-Receipt: true.',
    ),
  },
  DeviceOnHold: {
    meaning: 'The device cannot sign at present. There is nothing wrong with the receipt.',
    cause:
      'One of: an operator has blocked it; the authority refuses it or has put it into Offline mode; its certificate expired; the installation was restored from a backup and the authority has not said yet what it knows of the device; the authority has receipts of it that are not here; receipts that were signed are missing after a failure of the database. `detail` says which, and who can end it.',
    fix: 'Keep the receipt and send it again after `Retry-After`, with the header `Late-Receipt: true`. If it lasts, ask the operator of the service, or sell on another device.',
    example: problem(
      'POST /api/receipt/sign on a device that an operator has blocked',
      'Device 1001 is on hold: Stolen. An operator of the service can end this. Nothing was signed; send the same receipt again later, with the header Late-Receipt: true.',
    ),
  },
  Overloaded: {
    meaning: 'More is being asked than can be answered in time.',
    cause:
      'All callers together send more than this installation can handle. It says so immediately instead of making you wait.',
    fix: 'Send the same request again after `Retry-After`, and wait longer each time. Operators can add an instance.',
    example: problem(
      'Any request under overload',
      'More is being asked than can be answered in time. Nothing was done; try again shortly.',
    ),
  },
  Unavailable: {
    meaning:
      'The service cannot reach its database, which may also wait for its standby, its disk is full, or a biller does not answer.',
    cause:
      'The database is being restarted or moved, cannot be reached, waits for its standby, or has no space left (`detail` says so). For a bill payment: the biller does not answer.',
    fix: 'Send the same request again after `Retry-After`. If the first attempt was sealed after all, you get that seal. As long as that is open, reading it is answered the same, never 404.',
    example: problem(
      'Any request while the database cannot be reached',
      'The service cannot reach its database. Send the same request again: its reference makes that safe.',
    ),
  },
  InternalError: {
    meaning: 'The request failed because of a fault of the service.',
    cause: "A bug. The service's log has the reason under the `requestId`.",
    fix: 'Send the same request again: its reference makes that safe. If it persists, report the `requestId`.',
    example: problem('Any request', 'The request failed. Quote the requestId when you report it.'),
  },
} as const satisfies Entries;

/** Found before any rule is looked at. */
export const SHAPE_ERRORS = {
  Required: {
    meaning: 'A required field is missing.',
    cause:
      'The key was not sent, or was dropped by a library that omits nulls: `TaxPercent` of an exempt line must be sent as null.',
    fix: 'Send the field. For exempt lines send `"TaxPercent": null`.',
    example: field({ 'ReceiptLines[0].TaxPercent': undefined }, 'TaxPercent is missing: send null for exempt'),
  },
  UnknownField: {
    meaning: 'There is no field with this name.',
    cause:
      'A typing error, wrong case (`totalAmount`), or a field that belongs elsewhere. It is refused so that nothing is lost silently.',
    fix: 'Correct the name (the message often suggests it) or omit the field.',
    example: field({ TotalAmout: 5.5 }, 'there is no field TotalAmout: did you mean TotalAmount?'),
  },
  WrongType: {
    meaning: 'The field has the wrong JSON type.',
    cause: 'Most often a number with a comma or a currency, or an object where a list is expected.',
    fix: 'Send amounts as numbers (5.50) or as text of nothing but digits and a point ("5.50"), other numbers and true or false without quotes, lists in brackets.',
    example: field({ TotalAmount: '5,50' }, 'must be a number, or its digits as text such as "12.50", got "5,50"'),
  },
} as const satisfies Entries;
