import type { Demo } from './demo.ts';

/** What a newcomer sees: one command to paste that works, and where everything is. */
export function banner(demo: Demo, dataDir: string): string {
  return `
  Tillseal is running at ${demo.baseUrl}

  Console:         ${demo.consoleUrl}
                   log in as ${demo.operator.email} with ${demo.operator.password}

  Sign a receipt (paste this):

${exampleCurl(demo)}

  Pay a bill (paste this):

${payCurl(demo)}

  Receipts:        curl ${demo.baseUrl}/api/receipt -H 'Authorization: Bearer ${demo.taxpayer.token}'
  The device:      curl ${demo.baseUrl}/api/device/${demo.deviceId} -H 'Authorization: Bearer ${demo.taxpayer.token}'
  Payments:        curl ${demo.billpayUrl}/api/payment/list -H 'Authorization: Bearer ${demo.vendor.token}'
  Webhooks:        curl ${demo.simulator.controlUrl}/webhooks (what the vendor received)
  Reference:       ${demo.docsUrl} (error codes: ${demo.docsUrl}/errors)
  Tokens and ids:  ${dataDir}/demo.json
  Stop:            Ctrl-C

`;
}

/** The invoiced biller: the payment's invoice is signed automatically a moment later. */
export function payCurl(demo: Demo): string {
  return `curl ${demo.billpayUrl}/api/payment/pay \\
  -H 'Authorization: Bearer ${demo.vendor.token}' \\
  -H 'Content-Type: application/json' \\
  -d '{"VendorReference":"PAY-'$(date +%s)'","BillerCode":"${demo.billers.invoiced}","MemberNumber":"14250000041",
  "Currency":"USD","Amount":5.00,"Products":[{"Code":"TOKEN-10","Quantity":2}],"PaymentType":"Cash"}'`;
}

export function exampleCurl(demo: Demo): string {
  return `curl ${demo.baseUrl}/api/receipt/sign \\
  -H 'Authorization: Bearer ${demo.taxpayer.token}' \\
  -H 'Content-Type: application/json' \\
  -d '{"AuthorityDeviceId":${demo.deviceId},"Type":"FiscalInvoice","Currency":"USD","Reference":"DEMO-'$(date +%s)'",
  "Date":"'$(date -u +%Y-%m-%dT%H:%M:%SZ)'","ReceiptLinesTaxInclusive":true,"TotalAmount":5.50,
  "ReceiptLines":[
    {"Type":"Sale","Name":"Ground coffee 250 g","HsCode":"0901","UnitPrice":3.50,"Quantity":1,"LineTotal":3.50,"TaxPercent":15.5},
    {"Type":"Sale","Name":"White bread","HsCode":"19059010","UnitPrice":1.00,"Quantity":2,"LineTotal":2.00,"TaxPercent":0}],
  "Taxes":[
    {"TaxPercent":15.5,"SalesAmountWithTax":3.50,"TaxAmount":0.47},
    {"TaxPercent":0,"SalesAmountWithTax":2.00,"TaxAmount":0}],
  "Payments":[{"Type":"Cash","Amount":5.50}]}'`;
}
