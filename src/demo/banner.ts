import { VERSION } from '../platform/version.ts';
import type { Demo } from './demo.ts';

/** What a newcomer sees: where to click, one command to paste that works, and where the rest is. */
export function banner(demo: Demo, dataDir: string): string {
  const { baseUrl, consoleUrl, docsUrl, operator, people } = demo;
  const others = people.map(({ email, password, role, of }) => `or ${email} with ${password}: ${role} of ${of}`);
  return `
  Tillseal ${VERSION} is running at ${baseUrl}: console, reference and what to try first. Ctrl-C stops it.
  Console: ${consoleUrl}, log in as ${operator.email} with ${operator.password}
    ${others.join('\n    ')}
  Reference: ${docsUrl}   Tokens, billers and ids: ${dataDir}/demo.json   Sign a receipt (paste this):

${exampleCurl(demo)}

`;
}

function exampleCurl(demo: Demo): string {
  return `curl ${demo.baseUrl}/api/receipt/sign -H 'Authorization: Bearer ${demo.taxpayer.token}' \\
  -H 'Content-Type: application/json' -d '{"AuthorityDeviceId":${demo.deviceId},"Type":"FiscalInvoice","Currency":"USD",
  "Reference":"DEMO-'$(date +%s)'","Date":"'$(date -u +%Y-%m-%dT%H:%M:%SZ)'","ReceiptLinesTaxInclusive":true,"TotalAmount":3.50,
  "ReceiptLines":[{"Type":"Sale","Name":"Coffee","HsCode":"0901","UnitPrice":3.50,"Quantity":1,"LineTotal":3.50,"TaxPercent":15.5}],
  "Taxes":[{"TaxPercent":15.5,"SalesAmountWithTax":3.50,"TaxAmount":0.47}],"Payments":[{"Type":"Cash","Amount":3.50}]}'`;
}
