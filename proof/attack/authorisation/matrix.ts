/**
 * Who may do what: every address by every way to say who one is. A route that is missing here fails the test, and so does a
 * row without a route.
 *
 *   1  401: nobody we know            +  served (2xx)
 *   3  403: known, and may not        .  let in; the request itself asks for nothing that exists, so it may end with 400 or 404
 *   4  404: not yours, so not there   0  400: the same, where a body names it
 *
 * The columns, from the left:
 *   no good token:      none, malformed, unknown, another scheme; expired of a taxpayer, vendor, operator; revoked of each
 *   of a taxpayer:      may sign, may read, may register endpoints, may all (base64 of token:taxpayer), another's, suspended
 *   of a vendor:        may pay, may read, may register endpoints, may all (Basic), another's, suspended
 *   of a biller:        its own, another's
 *   of an operator:     may do everything, may look
 *   session, header:    viewer, operator, admin, admin with a one-time password, one that is over
 *   session, no header: viewer, operator, admin
 *   session, header:    admin, from the page of another site
 *   of a taxpayer's people: owner, clerk, viewer, and another taxpayer's owner; the same of a vendor, a biller and a practice
 *   acting for the taxpayer: a practice's owner, clerk and viewer, another practice's owner; a viewer and an admin of the
 *                       installation, who look; one whose membership has ended
 */
// biome-ignore format: one line for each group
export const COLUMNS = [
  'none', 'malformed', 'unknown', 'digest', 'expired till', 'expired vendor', 'expired operator',
  'revoked till', 'revoked vendor', 'revoked operator',
  'till that signs', 'till that reads', 'till that registers endpoints', 'till with its taxpayer', "another's till", 'suspended till',
  'vendor that pays', 'vendor that reads', 'vendor that registers endpoints', 'vendor by Basic', 'another vendor', 'suspended vendor',
  'biller', 'another biller',
  'operator', 'operator that looks',
  'session of viewer', 'session of operator', 'session of admin', 'session with a one-time password', 'session that is over',
  'bare session of viewer', 'bare session of operator', 'bare session of admin',
  'session of admin from another site',
  'owner of taxpayer', 'clerk of taxpayer', 'viewer of taxpayer', 'owner of another taxpayer',
  'owner of vendor', 'clerk of vendor', 'viewer of vendor', 'owner of another vendor',
  'owner of biller', 'clerk of biller', 'viewer of biller', 'owner of another biller',
  'owner of practice', 'clerk of practice', 'viewer of practice', 'owner of another practice',
  'owner of practice for the taxpayer', 'clerk of practice for the taxpayer', 'viewer of practice for the taxpayer',
  'owner of another practice for the taxpayer', 'viewer for the taxpayer', 'admin for the taxpayer', 'ended membership',
] as const;

/** From here on people of tenants, who are asked for what there is. */
export const FIRST_OF_TENANTS = COLUMNS.indexOf('owner of taxpayer');

export type Column = (typeof COLUMNS)[number];

const MATRIX = `
GET    /metrics                                                                 ++++++++++ ++++++ ++++++ ++ ++ +++++ +++ + ++++ ++++ ++++ ++++ ++++ ++ +
GET    /health/live                                                             ++++++++++ ++++++ ++++++ ++ ++ +++++ +++ + ++++ ++++ ++++ ++++ ++++ ++ +
GET    /health/ready                                                            ++++++++++ ++++++ ++++++ ++ ++ +++++ +++ + ++++ ++++ ++++ ++++ ++++ ++ +
GET    /version                                                                 ++++++++++ ++++++ ++++++ ++ ++ +++++ +++ + ++++ ++++ ++++ ++++ ++++ ++ +
GET    /                                                                        .......... ...... ...... .. .. ..... ... . .... .... .... .... .... .. .
GET    /docs/docs.css                                                           .......... ...... ...... .. .. ..... ... . .... .... .... .... .... .. .
GET    /openapi.json                                                            .......... ...... ...... .. .. ..... ... . .... .... .... .... .... .. .
GET    /docs                                                                    .......... ...... ...... .. .. ..... ... . .... .... .... .... .... .. .
GET    /docs/reference.js                                                       .......... ...... ...... .. .. ..... ... . .... .... .... .... .... .. .
GET    /docs/scalar.js                                                          .......... ...... ...... .. .. ..... ... . .... .... .... .... .... .. .
GET    /docs/errors                                                             .......... ...... ...... .. .. ..... ... . .... .... .... .... .... .. .
GET    /docs/guides                                                             .......... ...... ...... .. .. ..... ... . .... .... .... .... .... .. .
GET    /docs/postman.json                                                       .......... ...... ...... .. .. ..... ... . .... .... .... .... .... .. .
GET    /docs/*                                                                  .......... ...... ...... .. .. ..... ... . .... .... .... .... .... .. .
GET    /llms.txt                                                                .......... ...... ...... .. .. ..... ... . .... .... .... .... .... .. .
GET    /docs/icon.svg                                                           .......... ...... ...... .. .. ..... ... . .... .... .... .... .... .. .
GET    /favicon.ico                                                             .......... ...... ...... .. .. ..... ... . .... .... .... .... .... .. .
GET    /docs/                                                                   .......... ...... ...... .. .. ..... ... . .... .... .... .... .... .. .
GET    /console                                                                 .......... ...... ...... .. .. ..... ... . .... .... .... .... .... .. .
GET    /console/*                                                               .......... ...... ...... .. .. ..... ... . .... .... .... .... .... .. .
POST   /api/receipt/sign                                                        1111111111 +33+03 111111 11 33 11111 111 1 1111 1111 1111 1111 1111 11 1
POST   /api/receipt/check                                                       1111111111 +33+03 111111 11 33 11111 111 1 1111 1111 1111 1111 1111 11 1
POST   /api/receipt/calculate                                                   1111111111 +33+03 111111 11 33 11111 111 1 1111 1111 1111 1111 1111 11 1
GET    /api/receipt/{reference}                                                 1111111111 3+3+43 111111 11 33 11111 111 1 1111 1111 1111 1111 1111 11 1
GET    /api/receipt                                                             1111111111 3+3++3 111111 11 33 11111 111 1 1111 1111 1111 1111 1111 11 1
GET    /api/receipt/{reference}/print                                           1111111111 3+3+43 111111 11 33 11111 111 1 1111 1111 1111 1111 1111 11 1
GET    /api/token                                                               1111111111 +++++3 111111 11 33 11111 111 1 1111 1111 1111 1111 1111 11 1
GET    /api/device                                                              1111111111 3+3++3 111111 11 33 11111 111 1 1111 1111 1111 1111 1111 11 1
GET    /api/device/{authorityDeviceId}                                          1111111111 3+3+43 111111 11 33 11111 111 1 1111 1111 1111 1111 1111 11 1
GET    /api/device/{authorityDeviceId}/day/{fiscalDayNumber}/report             1111111111 3+3+43 111111 11 33 11111 111 1 1111 1111 1111 1111 1111 11 1
GET    /api/events                                                              1111111111 3+3++3 3+3++3 33 33 11111 111 1 1111 1111 1111 1111 1111 11 1
GET    /api/endpoints                                                           1111111111 3+3++3 3+3++3 33 33 11111 111 1 1111 1111 1111 1111 1111 11 1
POST   /api/endpoints                                                           1111111111 33...3 33...3 33 33 11111 111 1 1111 1111 1111 1111 1111 11 1
GET    /api/endpoints/{endpointId}                                              1111111111 343443 343443 33 33 11111 111 1 1111 1111 1111 1111 1111 11 1
PATCH  /api/endpoints/{endpointId}                                              1111111111 33...3 33...3 33 33 11111 111 1 1111 1111 1111 1111 1111 11 1
DELETE /api/endpoints/{endpointId}                                              1111111111 334443 334443 33 33 11111 111 1 1111 1111 1111 1111 1111 11 1
POST   /api/endpoints/{endpointId}/secret                                       1111111111 33...3 33...3 33 33 11111 111 1 1111 1111 1111 1111 1111 11 1
POST   /api/endpoints/{endpointId}/test                                         1111111111 334443 334443 33 33 11111 111 1 1111 1111 1111 1111 1111 11 1
POST   /api/endpoints/{endpointId}/resume                                       1111111111 33...3 33...3 33 33 11111 111 1 1111 1111 1111 1111 1111 11 1
POST   /api/endpoints/{endpointId}/resend                                       1111111111 33...3 33...3 33 33 11111 111 1 1111 1111 1111 1111 1111 11 1
GET    /api/endpoints/{endpointId}/attempts                                     1111111111 343443 343443 33 33 11111 111 1 1111 1111 1111 1111 1111 11 1
GET    /api/payment/ListBillers                                                 1111111111 111111 3+3++3 33 11 11111 111 1 1111 1111 1111 1111 1111 11 1
POST   /api/payment/auth                                                        1111111111 111111 +33+43 33 11 11111 111 1 1111 1111 1111 1111 1111 11 1
POST   /api/payment/pay                                                         1111111111 111111 +33+43 33 11 11111 111 1 1111 1111 1111 1111 1111 11 1
POST   /api/payment/reverse                                                     1111111111 111111 .33.43 33 11 11111 111 1 1111 1111 1111 1111 1111 11 1
GET    /api/payment/status                                                      1111111111 111111 3+3+43 33 11 11111 111 1 1111 1111 1111 1111 1111 11 1
GET    /api/payment/list                                                        1111111111 111111 3+3++3 33 11 11111 111 1 1111 1111 1111 1111 1111 11 1
GET    /api/payment/TargetStats                                                 1111111111 111111 3+3+43 +4 11 11111 111 1 1111 1111 1111 1111 1111 11 1
GET    /api/payment/feed                                                        1111111111 111111 3+3+43 +4 11 11111 111 1 1111 1111 1111 1111 1111 11 1
POST   /api/admin/session                                                       3333333333 333333 333333 33 33 ..... 333 3 .... .... .... .... .... .. .
GET    /api/admin/session                                                       ++++++++++ ++++++ ++++++ ++ ++ +++++ +++ + ++++ ++++ ++++ ++++ ++++ ++ +
DELETE /api/admin/session                                                       1111111111 333333 111111 11 .. ....1 333 3 ++++ ++++ ++++ ++++ +++1 ++ 1
PATCH  /api/admin/session                                                       1111111111 333333 111111 11 .. ....1 333 3 4444 4444 4444 4444 4441 ++ 1
POST   /api/admin/session/password                                              1111111111 333333 111111 11 .. ....1 333 3 .... .... .... .... ...1 .. 1
POST   /api/admin/session/reset                                                 3333333333 333333 333333 33 33 ..... 333 3 .... .... .... .... .... .. .
POST   /api/admin/session/link                                                  3333333333 333333 333333 33 33 ..... 333 3 .... .... .... .... .... .. .
PUT    /api/admin/session/link                                                  3333333333 333333 333333 33 33 ..... 333 3 .... .... .... .... .... .. .
POST   /api/admin/session/openid                                                3333333333 333333 333333 33 33 ..... 333 3 .... .... .... .... .... .. .
PUT    /api/admin/session/openid                                                3333333333 333333 333333 33 33 ..... 333 3 .... .... .... .... .... .. .
GET    /api/admin/session/identity                                              1111111111 333333 111111 11 .. ....1 ... . .... .... .... .... ...1 .. 1
POST   /api/admin/session/identity                                              1111111111 333333 111111 11 .. ....1 333 3 .... .... .... .... ...1 .. 1
PUT    /api/admin/session/identity                                              1111111111 333333 111111 11 .. ....1 333 3 .... .... .... .... ...1 .. 1
DELETE /api/admin/session/identity                                              1111111111 333333 111111 11 .. ....1 333 3 .... .... .... .... ...1 .. 1
POST   /api/admin/session/second-factor                                         1111111111 333333 111111 11 .. ....1 333 3 .... .... .... .... ...1 .. 1
POST   /api/admin/session/second-factor/options                                 1111111111 333333 111111 11 .. ....1 333 3 .... .... .... .... ...1 .. 1
GET    /api/admin/session/second-factor                                         1111111111 333333 111111 11 .. ....1 ... . .... .... .... .... ...1 .. 1
POST   /api/admin/session/totp                                                  1111111111 333333 111111 11 .. ....1 333 3 .... .... .... .... ...1 .. 1
PUT    /api/admin/session/totp                                                  1111111111 333333 111111 11 .. ....1 333 3 .... .... .... .... ...1 .. 1
DELETE /api/admin/session/totp                                                  1111111111 333333 111111 11 .. ....1 333 3 .... .... .... .... ...1 .. 1
POST   /api/admin/session/passkeys                                              1111111111 333333 111111 11 .. ....1 333 3 .... .... .... .... ...1 .. 1
PUT    /api/admin/session/passkeys                                              1111111111 333333 111111 11 .. ....1 333 3 .... .... .... .... ...1 .. 1
DELETE /api/admin/session/passkeys/{passkeyId}                                  1111111111 333333 111111 11 .. ....1 333 3 .... .... .... .... ...1 .. 1
GET    /api/admin/sessions                                                      1111111111 333333 111111 11 .. ....1 ... . .... .... .... .... ...1 .. 1
DELETE /api/admin/sessions/{sessionId}                                          1111111111 333333 111111 11 .. ....1 333 3 .... .... .... .... ...1 .. 1
GET    /api/admin/sign-in                                                       1111111111 333333 111111 11 .3 33.31 33. . .33. .33. .33. .33. .331 33 1
PUT    /api/admin/sign-in                                                       1111111111 333333 111111 11 .3 33.31 333 3 .33. .33. .33. .33. .331 33 1
GET    /api/admin/invitations                                                   1111111111 333333 111111 11 .3 33.31 33. . .33. .33. .33. .33. .331 33 1
POST   /api/admin/invitations                                                   1111111111 333333 111111 11 .3 33.31 333 3 .33. .33. .33. .33. .331 33 1
DELETE /api/admin/invitations/{invitationId}                                    1111111111 333333 111111 11 .3 33.31 333 3 .33. .33. .33. .33. .331 33 1
GET    /api/admin/people                                                        1111111111 333333 111111 11 .3 33.31 33. . +33+ +33+ +33+ +33+ +331 33 1
POST   /api/admin/people                                                        1111111111 333333 111111 11 .3 33.31 333 3 3333 3333 3333 3333 3331 33 1
PATCH  /api/admin/people/{personId}                                             1111111111 333333 111111 11 .3 33.31 333 3 4334 4334 4334 4334 4331 33 1
DELETE /api/admin/people/{personId}                                             1111111111 333333 111111 11 .3 33.31 333 3 4334 4334 4334 4334 4331 33 1
DELETE /api/admin/people/{personId}/second-factor                               1111111111 333333 111111 11 .3 33.31 333 3 3333 3333 3333 3333 3331 33 1
POST   /api/admin/people/{personId}/password                                    1111111111 333333 111111 11 .3 33.31 333 3 3333 3333 3333 3333 3331 33 1
GET    /api/admin/practices                                                     1111111111 333333 111111 11 .. ...31 ... . +33+ 3333 3333 3333 +331 33 1
POST   /api/admin/practices                                                     1111111111 333333 111111 11 .3 33.31 333 3 3333 3333 3333 3333 3331 33 1
PUT    /api/admin/practices/{practiceId}/taxpayers/{taxpayerId}                 1111111111 333333 111111 11 .3 33.31 333 3 3333 3333 3333 3333 3331 33 1
POST   /api/admin/practices/{practiceId}/taxpayers                              1111111111 333333 111111 11 .3 33.31 333 3 3333 3333 3333 .33. 3331 33 1
DELETE /api/admin/practices/{practiceId}/taxpayers/{taxpayerId}                 1111111111 333333 111111 11 .3 33.31 333 3 4334 3333 3333 4334 4331 33 1
GET    /api/admin/overview                                                      1111111111 333333 111111 11 .. ...31 ... . 3333 3333 3333 3333 3331 33 1
GET    /api/admin/taxpayers                                                     1111111111 333333 111111 11 .. ...31 ... . 3333 3333 3333 ++++ 3331 33 1
POST   /api/admin/taxpayers                                                     1111111111 333333 111111 11 .3 33.31 333 3 3333 3333 3333 .33. 3331 33 1
GET    /api/admin/taxpayers/{taxpayerId}                                        1111111111 333333 111111 11 .. ...31 ... . +++4 3333 3333 +++4 +++1 ++ 1
PATCH  /api/admin/taxpayers/{taxpayerId}                                        1111111111 333333 111111 11 .3 33.31 333 3 +334 3333 3333 3333 +331 33 1
GET    /api/admin/taxpayers/{taxpayerId}/months/{month}                         1111111111 333333 111111 11 .. ...31 ... . +++4 3333 3333 +++4 +++1 ++ 1
GET    /api/admin/taxpayers/{taxpayerId}/printing                               1111111111 333333 111111 11 .. ...31 ... . +++4 3333 3333 3333 +++1 ++ 1
PATCH  /api/admin/taxpayers/{taxpayerId}/printing                               1111111111 333333 111111 11 .3 33.31 333 3 +334 3333 3333 3333 +331 33 1
GET    /api/admin/tokens                                                        1111111111 333333 111111 11 .3 33.31 33. . +33+ +33+ +33+ 3333 +331 33 1
POST   /api/admin/tokens                                                        1111111111 333333 111111 11 .3 33.31 333 3 .33. .33. .33. 3333 .331 33 1
DELETE /api/admin/tokens/{tokenId}                                              1111111111 333333 111111 11 .3 33.31 333 3 4334 4334 4334 3333 4331 33 1
GET    /api/admin/vendors                                                       1111111111 333333 111111 11 .. ...31 ... . 3333 3333 3333 3333 3331 33 1
POST   /api/admin/vendors                                                       1111111111 333333 111111 11 .3 33.31 333 3 3333 3333 3333 3333 3331 33 1
GET    /api/admin/vendors/{vendorId}                                            1111111111 333333 111111 11 .. ...31 ... . 3333 +++4 3333 3333 3331 33 1
PATCH  /api/admin/vendors/{vendorId}                                            1111111111 333333 111111 11 .3 33.31 333 3 3333 3333 3333 3333 3331 33 1
POST   /api/admin/vendors/{vendorId}/webhook-secret                             1111111111 333333 111111 11 .3 33.31 333 3 3333 3333 3333 3333 3331 33 1
GET    /api/admin/vendors/{vendorId}/billers                                    1111111111 333333 111111 11 .. ...31 ... . 3333 +++4 3333 3333 3331 33 1
PUT    /api/admin/vendors/{vendorId}/billers/{billerCode}                       1111111111 333333 111111 11 .3 3..31 333 3 3333 3333 3333 3333 3331 33 1
DELETE /api/admin/vendors/{vendorId}/billers/{billerCode}                       1111111111 333333 111111 11 .3 3..31 333 3 3333 3333 3333 3333 3331 33 1
GET    /api/admin/billers                                                       1111111111 333333 111111 11 .. ...31 ... . 3333 3333 3333 3333 3331 33 1
POST   /api/admin/billers                                                       1111111111 333333 111111 11 .3 3..31 333 3 3333 3333 3333 3333 3331 33 1
GET    /api/admin/billers/{billerCode}                                          1111111111 333333 111111 11 .. ...31 ... . 3333 +++4 +++4 3333 3331 33 1
PUT    /api/admin/billers/{billerCode}                                          1111111111 333333 111111 11 .3 3..31 333 3 3333 3333 3333 3333 3331 33 1
GET    /api/admin/billers/{billerCode}/vendors                                  1111111111 333333 111111 11 .. ...31 ... . 3333 3333 3333 3333 3331 33 1
GET    /api/admin/billers/{billerCode}/target                                   1111111111 333333 111111 11 .. ...31 ... . 3333 3333 +++4 3333 3331 33 1
GET    /api/admin/billers/{billerCode}/feed                                     1111111111 333333 111111 11 .. ...31 ... . 3333 3333 +++4 3333 3331 33 1
GET    /api/admin/billers/{billerCode}/members                                  1111111111 333333 111111 11 .. ...31 ... . 3333 3333 +++4 3333 3331 33 1
GET    /api/admin/devices                                                       1111111111 333333 111111 11 .. ...31 ... . ++++ 3333 3333 3333 +++1 ++ 1
POST   /api/admin/devices                                                       1111111111 333333 111111 11 .3 3..31 333 3 .33. 3333 3333 3333 .331 33 1
GET    /api/admin/devices/{authorityDeviceId}                                   1111111111 333333 111111 11 .. ...31 ... . +++4 3333 3333 3333 +++1 ++ 1
PATCH  /api/admin/devices/{authorityDeviceId}                                   1111111111 333333 111111 11 .3 3..31 333 3 +334 3333 3333 3333 +331 33 1
POST   /api/admin/devices/{authorityDeviceId}/day                               1111111111 333333 111111 11 .3 3..31 333 3 ++34 3333 3333 3333 ++31 33 1
POST   /api/admin/devices/{authorityDeviceId}/give-up                           1111111111 333333 111111 11 .3 3..31 333 3 .334 3333 3333 3333 .331 33 1
POST   /api/admin/devices/{authorityDeviceId}/resume                            1111111111 333333 111111 11 .3 3..31 333 3 ++34 3333 3333 3333 ++31 33 1
GET    /api/admin/devices/{authorityDeviceId}/chain                             1111111111 333333 111111 11 .. ...31 ... . 3333 3333 3333 3333 3331 33 1
POST   /api/admin/devices/{authorityDeviceId}/chain                             1111111111 333333 111111 11 .3 33.31 333 3 3333 3333 3333 3333 3331 33 1
POST   /api/admin/devices/{authorityDeviceId}/receipts/{globalCounter}/decision 1111111111 333333 111111 11 .3 3..31 333 3 3333 3333 3333 3333 3331 33 1
GET    /api/admin/devices/{authorityDeviceId}/days                              1111111111 333333 111111 11 .. ...31 ... . +++4 3333 3333 3333 +++1 ++ 1
GET    /api/admin/devices/{authorityDeviceId}/days/{fiscalDayNumber}/report     1111111111 333333 111111 11 .. ...31 ... . +++4 3333 3333 3333 +++1 ++ 1
POST   /api/admin/devices/{authorityDeviceId}/verify                            1111111111 333333 111111 11 .3 3..31 333 3 ++34 3333 3333 3333 ++31 33 1
GET    /api/admin/taxpayers/{taxpayerId}/overview                               1111111111 333333 111111 11 .. ...31 ... . +++4 3333 3333 3333 +++1 ++ 1
GET    /api/admin/taxpayers/{taxpayerId}/export                                 1111111111 333333 111111 11 .3 3..31 3.. . +334 3333 3333 3333 +331 33 1
GET    /api/admin/devices/{authorityDeviceId}/export                            1111111111 333333 111111 11 .3 3..31 3.. . +334 3333 3333 3333 +331 33 1
GET    /api/admin/alerts                                                        1111111111 333333 111111 11 .. ...31 ... . ++++ 3333 3333 3333 +++1 ++ 1
GET    /api/admin/alerts/{alertId}                                              1111111111 333333 111111 11 .. ...31 ... . +++4 3333 3333 3333 +++1 ++ 1
PATCH  /api/admin/alerts/{alertId}                                              1111111111 333333 111111 11 .3 3..31 333 3 ++34 3333 3333 3333 ++31 33 1
POST   /api/admin/alerts/{alertId}/acknowledge                                  1111111111 333333 111111 11 .3 3..31 333 3 ++34 3333 3333 3333 ++31 33 1
GET    /api/admin/endpoints                                                     1111111111 333333 111111 11 .. ...31 ... . ++++ ++++ ++++ 3333 +++1 ++ 1
POST   /api/admin/endpoints                                                     1111111111 333333 111111 11 .3 3..31 333 3 .33. .33. .33. 3333 .331 33 1
POST   /api/admin/endpoints/confirm                                             .......... ...... ...... .. .. ..... ... . .... .... .... .... .... .. .
GET    /api/admin/endpoints/{endpointId}                                        1111111111 333333 111111 11 .. ...31 ... . 4444 4444 4444 3333 4441 44 1
PATCH  /api/admin/endpoints/{endpointId}                                        1111111111 333333 111111 11 .3 3..31 333 3 4334 4334 4334 3333 4331 33 1
DELETE /api/admin/endpoints/{endpointId}                                        1111111111 333333 111111 11 .3 3..31 333 3 4334 4334 4334 3333 4331 33 1
POST   /api/admin/endpoints/{endpointId}/secret                                 1111111111 333333 111111 11 .3 3..31 333 3 4334 4334 4334 3333 4331 33 1
POST   /api/admin/endpoints/{endpointId}/test                                   1111111111 333333 111111 11 .3 3..31 333 3 4334 4334 4334 3333 4331 33 1
POST   /api/admin/endpoints/{endpointId}/resume                                 1111111111 333333 111111 11 .3 3..31 333 3 4334 4334 4334 3333 4331 33 1
POST   /api/admin/endpoints/{endpointId}/resend                                 1111111111 333333 111111 11 .3 3..31 333 3 4334 4334 4334 3333 4331 33 1
GET    /api/admin/endpoints/{endpointId}/attempts                               1111111111 333333 111111 11 .. ...31 ... . 4444 4444 4444 3333 4441 44 1
GET    /api/admin/audit                                                         1111111111 333333 111111 11 .. ...31 ... . +33+ 3333 3333 3333 +331 33 1
GET    /api/admin/audit.csv                                                     1111111111 333333 111111 11 .3 3..31 3.. . +33+ 3333 3333 3333 +331 33 1
GET    /api/admin/receipts                                                      1111111111 333333 111111 11 .. ...31 ... . ++++ 3333 3333 3333 +++1 ++ 1
GET    /api/admin/receipts.csv                                                  1111111111 333333 111111 11 .3 3..31 3.. . ++++ 3333 3333 3333 +++1 ++ 1
GET    /api/admin/devices/{authorityDeviceId}/receipts/{globalCounter}          1111111111 333333 111111 11 .. ...31 ... . +++4 3333 3333 3333 +++1 ++ 1
POST   /api/admin/devices/{authorityDeviceId}/receipts/{globalCounter}/credit   1111111111 333333 111111 11 .3 33.31 333 3 ..34 3333 3333 3333 ..31 33 1
GET    /api/admin/devices/{authorityDeviceId}/receipts/{globalCounter}/print    1111111111 333333 111111 11 .. ...31 ... . +++4 3333 3333 3333 +++1 ++ 1
GET    /api/admin/payments                                                      1111111111 333333 111111 11 .. ...31 ... . 3333 ++++ ++++ 3333 3331 33 1
GET    /api/admin/payments.csv                                                  1111111111 333333 111111 11 .3 3..31 3.. . 3333 ++3+ ++3+ 3333 3331 33 1
GET    /api/admin/payments/{billPayReference}                                   1111111111 333333 111111 11 .. ...31 ... . 3333 +++4 +++4 3333 3331 33 1
POST   /api/admin/payments/{billPayReference}/settle                            1111111111 333333 111111 11 .3 3..31 333 3 3333 3333 3333 3333 3331 33 1
POST   /api/admin/payments/{billPayReference}/reverse                           1111111111 333333 111111 11 .3 3..31 333 3 3333 3333 3333 3333 3331 33 1
GET    /api/admin/invoices                                                      1111111111 333333 111111 11 .. ...31 ... . 3333 ++++ 3333 3333 3331 33 1
GET    /api/admin/invoices/{reference}                                          1111111111 333333 111111 11 .. ...31 ... . 3333 4444 3333 3333 3331 33 1
POST   /api/admin/invoices/{reference}/retry                                    1111111111 333333 111111 11 .3 3..31 333 3 3333 4434 3333 3333 3331 33 1
GET    /api/admin/webhook-deliveries                                            1111111111 333333 111111 11 .. ...31 ... . 3333 ++++ 3333 3333 3331 33 1
POST   /api/admin/webhook-deliveries/{deliveryId}/resend                        1111111111 333333 111111 11 .3 3..31 333 3 3333 ++34 3333 3333 3331 33 1
POST   /api/admin/keys/rotate-master                                            1111111111 333333 111111 11 .3 33.31 333 3 3333 3333 3333 3333 3331 33 1
`;

export interface Row {
  readonly route: string;
  /** One character for each column. */
  readonly answers: readonly string[];
}

export function readMatrix(text: string = MATRIX): Row[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [method, path, ...groups] = line.trim().split(/\s+/);
      return { route: `${method} ${path}`, answers: groups.join('').split('') };
    });
}
