import type { Queryable } from '../../platform/database/database.ts';
import { reportText } from '../core/outage-report.ts';
import { sellerFacts } from '../printing/core/seller.ts';
import { findSeller } from '../printing/store.ts';
import type { StoredOutage } from './store.ts';

/** What the authority is told of the outage, and of others of the taxpayer in the same report. */
export async function writeReport(
  db: Queryable,
  outage: StoredOutage,
  others: readonly StoredOutage[] = [],
): Promise<string> {
  const { TaxpayerId: taxpayerId, AuthorityDeviceId: deviceId, SalesRecording: salesRecording } = outage;
  const seller = sellerFacts(await findSeller(db, { taxpayerId, deviceId }));
  const contacts = [seller.phone, seller.email, ...seller.address.filter((part) => part !== '')];
  const facts = { tin: seller.tin, name: seller.name, branch: seller.branchName, contacts, salesRecording };
  return reportText({ ...facts, devices: [outage, ...others] });
}
