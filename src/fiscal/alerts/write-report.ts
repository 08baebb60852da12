import type { Queryable } from '../../platform/database/database.ts';
import { reportText } from '../core/outage-report.ts';
import { sellerFacts } from '../printing/core/seller.ts';
import { findSeller } from '../printing/store.ts';
import type { ReportedOutage } from './outage-store.ts';

/** What the authority is told of these outages of one taxpayer. */
export async function writeReport(db: Queryable, devices: readonly ReportedOutage[]): Promise<string | null> {
  const [first] = devices;
  if (first === undefined) return null;
  const seller = sellerFacts(await findSeller(db, first));
  const contacts = [seller.phone, seller.email, ...seller.address.filter((part) => part !== '')];
  const { tin, name, branchName: branch } = seller;
  return reportText({ tin, name, branch, contacts, salesRecording: first.SalesRecording, devices });
}
