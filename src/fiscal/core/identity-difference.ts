/** Who a device belongs to, by the authority's word or by ours. */
export interface DeviceIdentity {
  readonly tin: string;
  readonly serialNumber: string;
}

/** In what the authority's configuration is another device's or another taxpayer's; undefined when it is ours. */
export function identityDifference(
  theirs: { readonly taxPayerTIN: string; readonly taxPayerName: string; readonly deviceSerialNo: string },
  ours: DeviceIdentity,
): string | undefined {
  const differences = [
    differs(theirs.taxPayerTIN, ours.tin) &&
      `it belongs to ${theirs.taxPayerName}, TIN ${theirs.taxPayerTIN}, and this taxpayer has TIN ${ours.tin}`,
    differs(theirs.deviceSerialNo, ours.serialNumber) &&
      `its serial number is ${theirs.deviceSerialNo}, and here it is ${ours.serialNumber}`,
  ].filter((words) => words !== false);
  return differences.length === 0 ? undefined : differences.join('; ');
}

/** A field that the answer leaves out is no difference. */
function differs(theirs: string, ours: string): boolean {
  return theirs.trim() !== '' && theirs.trim() !== ours;
}
